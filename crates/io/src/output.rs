//! Files that are written in one piece.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};
use tempfile::NamedTempFile;

/// Why a file could not be written. Every message names the file.
#[derive(Debug)]
pub enum WriteError {
    /// A folder, not a file.
    Folder(PathBuf),
    /// The folder it should be in does not exist.
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The command reads this file.
    IsInput {
        /// The file to be written.
        path: PathBuf,
        /// The same file, as the command reads it.
        input: PathBuf,
    },
    /// The operating system refuses to write it.
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Folder(path) => write!(f, "cannot write '{}': it is a folder; name a file", path.display()),
            WriteError::NoFolder { path, folder } => {
                write!(f, "cannot write '{}': there is no folder '{}'", path.display(), folder.display())
            }
            WriteError::IsInput { path, input } if path == input => {
                write!(f, "cannot write '{}': the command reads this file; name another", path.display())
            }
            WriteError::IsInput { path, input } => write!(
                f,
                "cannot write '{}': the command reads this file as '{}'; name another",
                path.display(),
                input.display()
            ),
            WriteError::Unwritable { path, source } => write!(f, "cannot write '{}': {source}", path.display()),
        }
    }
}

impl Error for WriteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            WriteError::Unwritable { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A file that is put in place, complete or not at all, by [`OutputFile::commit`]. Until then the old file stays, and
/// the new content is in a temporary file beside it, with a name that can't be guessed. Without a commit the temporary
/// file is removed.
///
/// A device or a pipe is written to directly, since it can't be replaced.
///
/// Errors of its [`Write`] name the file.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    content: Content,
    /// A write has failed: the content is incomplete.
    has_failed: bool,
}

#[derive(Debug)]
enum Content {
    /// A temporary file that will replace the file of this name.
    Temporary(BufWriter<NamedTempFile>, PathBuf),
    Direct(BufWriter<File>),
}

impl OutputFile {
    /// Begins a file. A file that can't be written is refused here, before any work is done for it.
    ///
    /// # Errors
    /// If no file can be written there.
    pub fn create(path: &Path) -> Result<OutputFile, WriteError> {
        let content = Content::create(path).map_err(|source| explain(path, source))?;
        Ok(OutputFile { path: path.to_owned(), content, has_failed: false })
    }

    /// The name it was created with.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the content safely to the disk, then puts the file in its place.
    ///
    /// # Errors
    /// If it can't be written. What was there before stays.
    pub fn commit(self) -> Result<(), WriteError> {
        let OutputFile { path, content, has_failed } = self;
        let done = if has_failed { Err(io::Error::other("an earlier write failed")) } else { content.commit() };
        done.map_err(|source| explain(&path, source))
    }

    fn name<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|source| {
            self.has_failed = true;
            io::Error::new(source.kind(), explain(&self.path, source))
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.content {
            Content::Temporary(file, _) => file.write(bytes),
            Content::Direct(file) => file.write(bytes),
        };
        self.name(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.content {
            Content::Temporary(file, _) => file.flush(),
            Content::Direct(file) => file.flush(),
        };
        self.name(flushed)
    }
}

impl Content {
    fn create(path: &Path) -> io::Result<Content> {
        let found = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let target = match found {
            // A link stays a link: its target is replaced.
            Some(_) => fs::canonicalize(path)?,
            None => path.to_owned(),
        };
        if found.is_some() {
            // A write-protected file could be replaced, but its owner does not want that.
            let file = File::options().write(true).open(&target)?;
            if !file.metadata()?.is_file() {
                return Ok(Content::Direct(BufWriter::new(file)));
            }
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".jamboree-").suffix(".tmp");
        #[cfg(unix)]
        builder.permissions(permissions(found.as_ref()));
        let temporary = builder.tempfile_in(folder_of(&target))?;
        Ok(Content::Temporary(BufWriter::new(temporary), target))
    }

    fn commit(self) -> io::Result<()> {
        match self {
            Content::Direct(mut file) => file.flush(),
            Content::Temporary(file, target) => {
                let temporary = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                temporary.as_file().sync_all()?;
                temporary.persist(&target).map_err(|error| error.error)?;
                // The new name is on the disk when its folder has been synced. Some file systems can't sync a folder;
                // the file is complete there too.
                if let Ok(folder) = File::open(folder_of(&target)) {
                    let _ = folder.sync_all();
                }
                Ok(())
            }
        }
    }
}

/// The permissions of the file that is replaced, or the default ones of a new file.
#[cfg(unix)]
fn permissions(found: Option<&fs::Metadata>) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    found.map_or_else(|| fs::Permissions::from_mode(0o666), fs::Metadata::permissions)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn explain(path: &Path, source: io::Error) -> WriteError {
    let (path, folder) = (path.to_owned(), folder_of(path));
    match source.kind() {
        io::ErrorKind::IsADirectory => WriteError::Folder(path),
        io::ErrorKind::NotFound if !folder.is_dir() => WriteError::NoFolder { folder: folder.to_owned(), path },
        _ => WriteError::Unwritable { path, source },
    }
}

/// Writes a file in one piece: it has either its old content or the new one, never a part of it.
///
/// # Errors
/// If it can't be written. What was there before stays.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = OutputFile::create(path)?;
    match file.write_all(bytes) {
        Ok(()) => file.commit(),
        Err(error) => match error.downcast::<WriteError>() {
            Ok(error) => Err(error),
            Err(source) => Err(explain(path, source)),
        },
    }
}

/// Do two names stand for the same file, directly or through links? False if there is no such file.
pub fn same_file(one: &Path, other: &Path) -> bool {
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// What two names of one file have in common.
#[cfg(unix)]
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

/// Where files have no numbers, their path does; two hard links to one file are taken for two files.
#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Checks that a command does not write over what it reads. Devices, such as `/dev/null`, may be both.
///
/// # Errors
/// If `output` is one of the inputs, by whatever name.
pub fn refuse_overwriting<P: AsRef<Path>>(
    output: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<(), WriteError> {
    for input in inputs {
        let input = input.as_ref();
        if same_file(output, input) && fs::metadata(input).is_ok_and(|found| found.is_file()) {
            return Err(WriteError::IsInput { path: output.to_owned(), input: input.to_owned() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"one").unwrap();
        assert!(!path.exists());
        drop(file);
        assert!(names(folder.path()).is_empty());

        write_file(&path, b"old").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn temporary_names_can_not_be_guessed() {
        let folder = tempfile::tempdir().unwrap();
        let _files = [(); 2].map(|()| OutputFile::create(&folder.path().join("file")).unwrap());
        let names = names(folder.path());
        assert_eq!(names.len(), 2);
        assert!(names.iter().all(|name| !name.contains(&std::process::id().to_string())), "{names:?}");
    }

    #[test]
    fn links_and_permissions_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        write_file(&file, b"old").unwrap();
        assert_ne!(fs::metadata(&file).unwrap().mode() & 0o040, 0, "others of the group may read it");
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write_file(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
    }

    #[test]
    fn a_full_disk_is_told_with_the_name() {
        let message = write_file(Path::new("/dev/full"), b"x").expect_err("full").to_string();
        assert!(message.starts_with("cannot write '/dev/full': No space left"), "{message}");
        let mut file = OutputFile::create(Path::new("/dev/full")).unwrap();
        let error = file.write_all(&[0; 100_000]).expect_err("full").to_string();
        assert!(error.starts_with("cannot write '/dev/full': No space left"), "{error}");
        assert!(file.commit().is_err());
        write_file(Path::new("/dev/null"), b"x").unwrap();
    }

    #[test]
    fn what_can_not_be_written_is_told_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none");
        for (path, reason) in [
            (folder.path().to_owned(), "it is a folder; name a file".to_owned()),
            (missing.join("file"), format!("there is no folder '{}'", missing.display())),
        ] {
            let message = OutputFile::create(&path).expect_err("refused").to_string();
            assert_eq!(message, format!("cannot write '{}': {reason}", path.display()));
        }
    }

    #[test]
    fn an_input_is_not_written_over_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let [input, soft, hard, other] = ["input", "soft", "hard", "other"].map(|name| folder.path().join(name));
        write_file(&input, b"x").unwrap();
        symlink(&input, &soft).unwrap();
        fs::hard_link(&input, &hard).unwrap();
        for name in [&input, &soft, &hard, &folder.path().join("./input")] {
            let error = refuse_overwriting(name, [&other, &input]).expect_err("refused").to_string();
            assert!(error.starts_with(&format!("cannot write '{}': the command reads this file", name.display())));
        }
        refuse_overwriting(&other, [&input]).unwrap();
        refuse_overwriting(Path::new("/dev/null"), ["/dev/null"]).unwrap();
    }
}
