set -x &&
# Images that bring sshd start without any network.
if [ ! -x /usr/sbin/sshd ]; then
  apt-get update &&
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends openssh-server
fi &&
mkdir -p /var/run/sshd &&
chmod 0755 /var/run/sshd &&
mkdir -p /root/.ssh &&
chmod 700 /root/.ssh &&
# The Secret is mounted as read-only links; sshd wants real files with strict modes.
cp /tmp/mpi-ssh-raw/* /root/.ssh/ &&
chmod 600 /root/.ssh/id_rsa &&
chmod 644 /root/.ssh/id_rsa.pub /root/.ssh/authorized_keys &&
# exec, so that the pod's SIGTERM reaches sshd itself.
exec /usr/sbin/sshd -De
