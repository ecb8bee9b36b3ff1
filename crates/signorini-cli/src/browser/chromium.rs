//! Headless Chromium, or Chrome.

use signorini_error::{Error, Result};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Names of the program.
const NAMES: [&str; 6] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chromium-headless-shell",
];

/// A browser that shows an address; it ends, and its profile is removed, when the value is dropped.
pub struct Chromium {
    child: Child,
    profile: PathBuf,
}

impl Chromium {
    /// Opens an address in a window of a size (pixels).
    ///
    /// # Errors
    /// When no Chromium is found. `CHROMIUM` names the program.
    pub fn open(address: &str, size: [u32; 2]) -> Result<Self> {
        let profile = std::env::temp_dir().join(format!("signorini-browser-{}", std::process::id()));
        let named = std::env::var("CHROMIUM").ok();
        let programs: Vec<&str> = named.as_deref().map_or_else(|| NAMES.to_vec(), |name| vec![name]);
        for program in &programs {
            let mut command = Command::new(program);
            command.args(["--headless=new", "--hide-scrollbars", "--no-first-run", "--mute-audio"]);
            // The page is drawn without a graphics chip, and so alike on any machine.
            command.args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
            command.arg(format!("--user-data-dir={}", profile.display()));
            command.arg(format!("--window-size={},{}", size[0], size[1]));
            // The browser brings a driver of its own, whatever the environment says of others.
            command.env_remove("VK_DRIVER_FILES").env_remove("VK_ICD_FILENAMES");
            if is_root() {
                // Chromium's sandbox does not start under root, as in containers.
                command.arg("--no-sandbox");
            }
            command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            lead_a_group(&mut command);
            match command.spawn() {
                Ok(child) => return Ok(Self { child, profile }),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => return Err(Error::Io { path: program.into(), source }),
            }
        }
        Err(Error::Usage {
            what: "pictures and films".to_owned(),
            allowed: format!(
                "need Chromium or Chrome, and there is none of {}; install one, or name it in CHROMIUM",
                programs.join(", ")
            ),
        })
    }

    /// Whether the browser ended by itself.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        end_group(&mut self.child);
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// Puts the program into a group of its own: it may be a script that starts the browser, and both end
/// together.
#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn lead_a_group(_: &mut Command) {}

#[cfg(unix)]
fn end_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(unix)]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
