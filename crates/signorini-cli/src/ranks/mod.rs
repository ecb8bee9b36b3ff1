//! Several processes that run one scene, started by `mpirun`. Each takes all steps; the first one writes and
//! speaks for all.

#[cfg(feature = "mpi")]
mod mpi;
mod started;

use super::arguments::{BackendChoice, BackendOptions};
use super::exit::Failure;
use super::{backend, console, process};
use signorini::simulation::{OnRanks, SavedState, Simulation};
use signorini_error::{Error, Result};
use signorini_ranks::{Incoming, Outgoing, Ranks, any, gather};
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Bodies from which on a step takes much longer than a message.
const LARGE_SCENE: usize = 256;
/// Steps of smaller scenes after which ranks ask each other whether to go on.
const STEPS_UNASKED: usize = 32;

/// Data that the ranks of a run have to have in common, as they call it in messages.
const COMMON: [&str; 3] = ["program", "scene", "options"];

/// The ranks of a run; none where one process runs it.
#[derive(Default)]
pub struct Team {
    ranks: Option<Arc<dyn Ranks>>,
    #[cfg(feature = "mpi")]
    universe: Option<::mpi::environment::Universe>,
}

impl Team {
    /// The ranks that this process was started with.
    ///
    /// # Errors
    /// When there are several, and the program has no MPI, or none that it can use.
    #[cfg(feature = "mpi")]
    pub fn join() -> Result<Self> {
        if started::number_of_ranks() < 2 {
            return Ok(Self::default());
        }
        let (universe, ranks) = mpi::start()?;
        console::silence(ranks.rank() > 0);
        Ok(Self { ranks: Some(Arc::new(ranks)), universe: Some(universe) })
    }

    /// The ranks that this process was started with.
    ///
    /// # Errors
    /// When there are several: they would all run the scene, and write one folder.
    #[cfg(not(feature = "mpi"))]
    pub fn join() -> Result<Self> {
        match started::number_of_ranks() {
            0 | 1 => Ok(Self::default()),
            n => {
                console::silence(!started::is_first());
                Err(Error::Usage {
                    what: format!("a start on {n} ranks"),
                    allowed: "this program was built without MPI, and each rank would run the whole scene; build \
                              it with cargo build --release --features signorini-cli/mpi, or start it without \
                              mpirun"
                        .to_owned(),
                })
            }
        }
    }

    /// Whether this process writes, and speaks for all.
    pub fn is_first(&self) -> bool {
        self.ranks.as_ref().is_none_or(|ranks| ranks.rank() == 0)
    }

    /// Whether there are others.
    pub fn is_many(&self) -> bool {
        self.ranks.is_some()
    }

    /// Returns the next act of all ranks, where this one was told to stop, or has failed. Ranks whose steps
    /// are short ask each other in some steps only; a process alone is its own master.
    pub fn next(&self, simulation: &Simulation, [stops, fails]: [bool; 2]) -> Next {
        let next = |stops: bool, fails: bool| match (stops, fails) {
            (_, true) => Next::Fail,
            (true, false) => Next::Stop,
            (false, false) => Next::Step,
        };
        let Some(ranks) = &self.ranks else { return next(stops, fails) };
        let is_small = simulation.scene().bodies.len() < LARGE_SCENE;
        if is_small && !simulation.step_index().is_multiple_of(STEPS_UNASKED) {
            return Next::Step;
        }
        let mine = [u8::from(stops) | u8::from(fails) << 1];
        let all = ranks.exchange(0..ranks.size(), &mine, &vec![1; ranks.size()]);
        let all = all.into_iter().fold(0, |all, one| all | one);
        next(all & 1 != 0, all & 2 != 0)
    }

    /// Whether any rank says so.
    pub fn any(&self, mine: bool) -> bool {
        self.ranks.as_ref().map_or(mine, |ranks| any(&**ranks, mine))
    }

    /// Sets the number of worker threads: without a wish one for each core, which ranks on one machine share.
    ///
    /// # Errors
    /// When the system cannot start them.
    pub fn use_threads(&self, threads: Option<u16>) -> Result<()> {
        process::use_threads(threads.or_else(|| self.is_many().then(started::threads_of_rank)))
    }

    /// Returns a flag that signals raise; the run stops after the step in progress.
    pub fn watch_signals(&self, quiet: bool) -> Arc<AtomicBool> {
        if self.is_many() { process::watch_signals_of_rank() } else { process::watch_signals(quiet) }
    }

    /// Refuses a limit on the clock of a step: ranks have several clocks.
    ///
    /// # Errors
    /// Where ranks have such a limit.
    pub fn refuse_wall_limit(&self, seconds: Option<f64>) -> Result<()> {
        match seconds.filter(|_| self.is_many()) {
            None => Ok(()),
            Some(seconds) => Err(Error::Usage {
                what: format!("--wall-limit {seconds}"),
                allowed:
                    "only on one rank: each has a clock of its own; step_seconds of the scene limits the \
                          work of a step"
                        .to_owned(),
            }),
        }
    }

    /// Chooses what solves large islands: the CPU, where there are ranks.
    ///
    /// # Errors
    /// Where there is no such device, or ranks are to use one.
    pub fn choose_backend(&self, options: &BackendOptions, simulation: &mut Simulation) -> Result<()> {
        if options.backend == BackendChoice::Gpu && self.is_many() {
            return Err(Error::Usage {
                what: "--backend gpu".to_owned(),
                allowed: "only on one rank; several solve all islands on the CPU".to_owned(),
            });
        }
        backend::choose(options, simulation)
    }

    /// The simulation of the first rank, which alone gives it, on this one.
    ///
    /// # Errors
    /// When what came is none.
    pub fn same_as_first(
        &self,
        mine: Option<Simulation>,
        threads: Option<u16>,
    ) -> Result<Option<Simulation>> {
        let Some(ranks) = &self.ranks else { return Ok(mine) };
        let saved = mine.as_ref().map(|simulation| simulation.save().to_bytes()).transpose()?;
        let all = gather(&**ranks, &saved.unwrap_or_default());
        if mine.is_some() {
            return Ok(mine);
        }
        self.use_threads(threads)?;
        let wrong =
            |message: String| Error::Usage { what: "the state of rank 0".to_owned(), allowed: message };
        SavedState::of_bytes(&all[0]).map_err(wrong).and_then(Simulation::from_saved).map(Some)
    }

    /// Hands a simulation that every rank has prepared to the ranks; `options` are those of the command line.
    ///
    /// # Errors
    /// Where it failed on any rank, or is not the same on all: then on all ranks, and the first one tells of
    /// all.
    pub fn start(
        &self,
        prepared: Result<Option<Simulation>>,
        options: &dyn fmt::Debug,
    ) -> std::result::Result<Simulation, Failure> {
        let prepared = prepared.and_then(|found| found.ok_or_else(first_failed));
        let Some(ranks) = &self.ranks else { return Ok(prepared?) };
        let mut out = Outgoing::default();
        out.u64s(&prepared.as_ref().map_or([0; COMMON.len()], |simulation| marks(simulation, options)));
        let n = out.bytes().len();
        let mut bytes = out.bytes().to_vec();
        bytes.extend(prepared.as_ref().err().map_or_else(String::new, Error::to_string).into_bytes());
        let all = gather(&**ranks, &bytes);
        let told: Vec<(Marks, &[u8])> =
            all.iter().map(|bytes| (Incoming::new(bytes).u64s(), bytes.get(n..).unwrap_or(&[]))).collect();
        if let Some((rank, (_, error))) = told.iter().enumerate().find(|(_, (_, error))| !error.is_empty()) {
            let is_common = told.iter().all(|(_, other)| other == error);
            return Err(Failure::Input(match prepared {
                Err(error) if is_common => error,
                _ => Error::Usage {
                    what: format!("rank {rank} of {}", ranks.size()),
                    allowed: String::from_utf8_lossy(error).into_owned(),
                },
            }));
        }
        let mut simulation = prepared?;
        refuse_differences(&told)?;
        simulation.use_ranks(Arc::clone(ranks));
        Ok(simulation)
    }

    /// Does something on the first rank alone.
    ///
    /// # Errors
    /// Where it fails: then on all ranks.
    pub fn on_first<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
        let mine = if self.is_first() { work().map(Some) } else { Ok(None) };
        match (self.any(mine.is_err()), mine) {
            (true, Ok(_)) => Err(first_failed()),
            (_, mine) => mine,
        }
    }

    /// The exit code of all ranks, from that of this one: the first rank's unless that is 0.
    pub fn settle(&self, code: u8) -> u8 {
        let Some(ranks) = &self.ranks else { return code };
        let codes = ranks.exchange(0..ranks.size(), &[code], &vec![1; ranks.size()]);
        codes.into_iter().find(|code| *code != 0).unwrap_or(code)
    }

    /// Ends the other ranks, which would wait for this one for ever.
    pub fn give_up(&self, code: u8) {
        #[cfg(feature = "mpi")]
        if self.universe.is_some() {
            mpi::abort(code);
        }
        let _ = code;
    }

    /// Returns the messages of the first rank in words: in all, and over so many sweeps.
    pub fn traffic(&self, sweeps: usize) -> Option<String> {
        let ranks = self.ranks.as_ref()?;
        let (traffic, sweeps) = (ranks.traffic(), sweeps.max(1) as f64);
        Some(format!(
            "{} ranks: {} exchanges, {:.1} MB from rank 0; over {sweeps} sweeps {:.1} and {:.1} kB each",
            ranks.size(),
            traffic.messages,
            traffic.bytes as f64 / 1e6,
            traffic.messages as f64 / sweeps,
            traffic.bytes as f64 / 1e3 / sweeps
        ))
    }
}

/// The act of ranks after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The next step.
    Step,
    /// They end the run, as a signal asked for.
    Stop,
    /// They end the run, as one of them failed.
    Fail,
}

/// The error of a rank that waits for the first one.
pub fn first_failed() -> Error {
    Error::Usage { what: "rank 0".to_owned(), allowed: "has failed, and told why".to_owned() }
}

/// Refuses ranks that don't have the same program, scene and options.
fn refuse_differences(told: &[(Marks, &[u8])]) -> Result<()> {
    for (k, what) in COMMON.iter().enumerate() {
        if let Some(rank) = (1..told.len()).find(|rank| told[*rank].0[k] != told[0].0[k]) {
            return Err(Error::Usage {
                what: format!("{what} of rank {rank}"),
                allowed: "must be the same on all ranks; that of rank 0 differs".to_owned(),
            });
        }
    }
    Ok(())
}

/// Takes text as bytes of a hash.
struct Text<'a>(&'a mut DefaultHasher);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

fn mark(of: fmt::Arguments<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    // A hash takes everything.
    let _ = Text(&mut hasher).write_fmt(of);
    hasher.finish()
}

/// Hashes of what ranks have in common: program, scene with its state, options.
type Marks = [u64; COMMON.len()];

fn marks(simulation: &Simulation, options: &dyn fmt::Debug) -> Marks {
    let (scene, state, step) = (simulation.scene(), simulation.state(), simulation.step_index());
    let program = std::env::current_exe().and_then(std::fs::read).map_or(0, |bytes| {
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        hasher.finish()
    });
    let features = [cfg!(feature = "gpu"), cfg!(feature = "mpi")];
    [
        mark(format_args!("{} {features:?} {} {program}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)),
        mark(format_args!("{scene:?} {state:?} {step}")),
        mark(format_args!("{options:?}")),
    ]
}
