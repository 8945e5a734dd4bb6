# A second try where the copy above failed. Its errors are ignored: the probes below tell whether the key works.
if [ ! -f /root/.ssh/id_rsa ]; then
  mkdir -p /root/.ssh
  chmod 700 /root/.ssh
  cp /tmp/mpi-ssh-raw/* /root/.ssh/
  chmod 600 /root/.ssh/id_rsa
fi
# Tracing 240 rounds would bury the messages.
{ set +x; } 2>/dev/null

hosts=$(awk '{ print $1 }' /etc/mpi/hostfile)
if [ -z "$hosts" ]; then
  echo "error: no hosts in /etc/mpi/hostfile" >&2
  exit 1
fi

# The launcher runs no sshd, so its own entry would never answer.
# shellcheck disable=SC3028 # HOSTNAME comes from the container runtime
self=${HOSTNAME:-$(hostname)}
workers=
for host in $hosts; do
  case $host in
    "$self" | "$self".*) ;;
    *) workers="$workers $host" ;;
  esac
done

probe() {
  timeout 10 ssh -n -o BatchMode=yes -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5 "$1" true
}

start=$(date +%s)
elapsed() {
  echo $(($(date +%s) - start))
}

round=0
while :; do
  silent=
  for host in $workers; do
    probe "$host" >/dev/null 2>&1 || silent="$silent $host"
  done
  [ -n "$silent" ] || break
  if [ $((round % 10)) -eq 0 ]; then
    for host in $silent; do
      echo "waiting for sshd on $host: attempt $((round + 1)) of 240, $(elapsed) s elapsed"
      probe "$host" 2>&1 | sed -n '1,3s/^/    ssh: /p'
    done
  fi
  round=$((round + 1))
  if [ "$round" -eq 240 ]; then
    echo "error: not every worker answered sshd within 20 minutes; no answer from$silent" >&2
    echo "hostfile: $(tr '\n' ' ' </etc/mpi/hostfile)" >&2
    echo "see the worker pods and their events (kubectl describe pod)" >&2
    exit 1
  fi
  sleep 5
done
echo "every worker answered sshd after $(elapsed) s"
