//! The commands `signorini completions` and `signorini man`: the command line for shells and readers of
//! manuals.

use super::console::{print_line, print_page};
use super::exit::{Failure, SUCCESS};
use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;
use signorini_error::{Error, counted};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct CompletionsOptions {
    /// Shell that reads them
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManOptions {
    /// Folder to write, with a page for each command, instead of one page on standard output
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub fn completions(options: &CompletionsOptions, mut command: clap::Command) -> Result<u8, Failure> {
    let (mut script, program) = (Vec::new(), command.get_name().to_owned());
    clap_complete::generate(options.shell, &mut command, program, &mut script);
    print_page(&String::from_utf8_lossy(&script));
    Ok(SUCCESS)
}

/// Prints the manual as one page, or writes it as pages.
pub fn man(options: &ManOptions, command: clap::Command) -> Result<u8, Failure> {
    let Some(folder) = &options.out else {
        let mut page = Vec::new();
        manual(command, &mut page).map_err(|source| failed(Path::new("manual"), source))?;
        print_page(&String::from_utf8_lossy(&page));
        return Ok(SUCCESS);
    };
    let n = pages(&command);
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|source| failed(folder, source))?;
    print_line(&format!("{}: {}", folder.display(), counted(n, "page")));
    Ok(SUCCESS)
}

fn failed(path: &Path, source: io::Error) -> Failure {
    Failure::Other(Error::Io { path: path.to_owned(), source })
}

/// Number of pages: the program, and each of its commands.
fn pages(command: &clap::Command) -> usize {
    1 + command.get_subcommands().map(pages).sum::<usize>()
}

/// Writes one page: the program, then a chapter for each command.
fn manual(command: clap::Command, page: &mut Vec<u8>) -> io::Result<()> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let whole = Man::new(command.clone());
    whole.render_title(page)?;
    whole.render_name_section(page)?;
    whole.render_synopsis_section(page)?;
    whole.render_description_section(page)?;
    whole.render_options_section(page)?;
    command.get_subcommands().try_for_each(|command| chapter(command, page))?;
    whole.render_version_section(page)
}

/// Writes the chapter of a command, then those of the commands below it.
fn chapter(command: &clap::Command, page: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_description_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_options_section(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_uppercase();
    let text = text.replace("\n.SH ", "\n.SS ").replacen(".SS DESCRIPTION", &format!(".SH \"{name}\""), 1);
    page.extend_from_slice(text.as_bytes());
    command.get_subcommands().try_for_each(|below| chapter(below, page))
}
