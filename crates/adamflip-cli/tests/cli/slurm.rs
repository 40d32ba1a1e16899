//! A Slurm of one machine: munge, controller and node, started for a test and ended with it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A queue on this machine.
pub(super) struct Slurm {
    folder: TempDir,
    children: Vec<Child>,
}

impl Slurm {
    /// Starts all of it, or says why it cannot be.
    pub(super) fn start() -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("slurm").tempdir().map_err(|error| error.to_string())?;
        let mut slurm = Self { folder, children: Vec::new() };
        for name in ["state", "spool"] {
            std::fs::create_dir(slurm.path(name)).map_err(|error| error.to_string())?;
        }
        slurm.munge()?;
        let conf = slurm.configure()?;
        for daemon in ["slurmctld", "slurmd"] {
            slurm.spawn(Command::new(daemon).arg("-D").arg("-f").arg(&conf))?;
        }
        let idle = |output: &Output| String::from_utf8_lossy(&output.stdout).contains("idle");
        slurm.until(|slurm| slurm.run("sinfo", &[], Path::new(".")).is_ok_and(|output| idle(&output)))?;
        Ok(slurm)
    }

    /// One of Slurm's programs.
    pub(super) fn run(&self, program: &str, arguments: &[&str], folder: &Path) -> std::io::Result<Output> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).env("SLURM_CONF", self.path("slurm.conf")).output()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn spawn(&mut self, command: &mut Command) -> Result<(), String> {
        let started = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.children.push(started.map_err(|error| format!("{:?}: {error}", command.get_program()))?);
        Ok(())
    }

    fn munge(&mut self) -> Result<(), String> {
        use std::os::unix::fs::PermissionsExt;
        // Nobody else reaches this queue, so that any key will do.
        let (key, socket) = (self.path("munge.key"), self.path("munge.sock"));
        std::fs::write(&key, [7; 128]).map_err(|error| error.to_string())?;
        let _ = std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o400));
        let option = |name: &str, path: &Path| format!("--{name}={}", path.display());
        let mut command = Command::new("munged");
        command.args(["--foreground", "--force"]).args([option("key-file", &key), option("socket", &socket)]);
        for name in ["pid-file", "log-file", "seed-file"] {
            command.arg(option(name, &self.path(name)));
        }
        self.spawn(&mut command)?;
        self.until(|_| socket.exists())
    }

    fn configure(&self) -> Result<PathBuf, String> {
        let name = Command::new("hostname").arg("-s").output().map_err(|error| error.to_string())?;
        let (host, folder) =
            (String::from_utf8_lossy(&name.stdout).trim().to_owned(), self.folder.path().display());
        // Two free ports: those that the system gives to whoever asks for any, held until both are known.
        let listeners = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0"));
        let ports = listeners
            .map(|l| l.and_then(|l| l.local_addr()).map(|address| address.port()).unwrap_or_default());
        let conf = format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nAuthType=auth/munge\n\
             AuthInfo=socket={folder}/munge.sock\nCredType=cred/munge\nSlurmUser=root\nSlurmdUser=root\n\
             SlurmctldPort={}\nSlurmdPort={}\nStateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\n\
             SlurmctldPidFile={folder}/ctld.pid\nSlurmdPidFile={folder}/slurmd.pid\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_CPU\nMpiDefault=none\nSwitchType=switch/none\n\
             JobCompType=jobcomp/none\nAccountingStorageType=accounting_storage/none\n\
             JobAcctGatherType=jobacct_gather/none\nReturnToService=2\nKillWait=5\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN\n\
             PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
            ports[0], ports[1]
        );
        let path = self.path("slurm.conf");
        std::fs::write(&path, conf).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// Waits for something that comes within seconds (on a busy machine many), or says that it does not.
    fn until(&mut self, mut came: impl FnMut(&Self) -> bool) -> Result<(), String> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            if came(self) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err("its programs start, but do not answer".to_owned())
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
