if ! command -v ssh >/dev/null 2>&1; then
  # No client to log in with: ask the kernel for a listener (0A) on local port 22 (0016 in hex).
  exec grep -qs '^ *[0-9]*: [0-9A-F]*:0016 [0-9A-F]*:[0-9A-F]* 0A ' /proc/net/tcp /proc/net/tcp6
fi
set -- ssh -n -o BatchMode=yes -o StrictHostKeyChecking=no \
  -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5 127.0.0.1 true
if command -v timeout >/dev/null 2>&1; then
  # Stays below the probe's own timeoutSeconds of 10.
  set -- timeout 8 "$@"
fi
exec "$@"
