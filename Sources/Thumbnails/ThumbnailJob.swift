import CLinux
import Glibc
import Threads

/// A thumbnail that a thread of the pool is to make, with the waiting caller.
final class ThumbnailJob: Sendable {
    typealias Outcome = Result<ThumbnailFile, ThumbnailError>

    let process = ThumbnailProcess()
    let continuation = Locked<CheckedContinuation<Outcome, Never>?>(nil)
    private let path: String
    private let form: ThumbnailForm

    init(path: String, form: ThumbnailForm) {
        self.path = path
        self.form = form
    }

    /// Resumes the waiting caller. Only the first call has an effect.
    func finish(_ outcome: Outcome) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: outcome)
    }

    /// Makes the thumbnail. The thread is blocked until the thumbnail is finished or has failed.
    func perform(finder: ProgramFinder, scratch: ScratchDirectory, limits: ThumbnailLimits) -> Outcome {
        guard let program = finder.find() else { return .failure(.unavailable) }
        let input = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard input >= 0 else { return .failure(errno == EMFILE || errno == ENFILE ? .overloaded : .unreadable) }
        defer { close(input) }
        guard let kind = PictureKind(head: head(of: input, count: PictureKind.headLength)) else {
            return .failure(.unreadable)
        }
        // The output is a file in memory. When the cache stores it on the disk, a full disk causes a separate error.
        let raw = fogbase_memory_file("thumbnail")
        guard raw >= 0 else { return .failure(.overloaded) }
        var isKept = false
        defer { if !isKept { close(raw) } }
        guard let directory = scratch.makeDirectory() else { return .failure(.storageFull) }
        defer { scratch.remove(directory) }

        let end = process.run(
            program, arguments: form.programArguments, environment: environment(for: kind, directory: directory),
            directory: directory, input: input, output: raw, limits: limits)
        switch end {
        case .killed: return .failure(.closed)
        case .outOfTime: return .failure(.timedOut)
        case .notStarted(let code):
            let isBusy = code == EAGAIN || code == ENOMEM || code == EMFILE || code == ENFILE || code == ETXTBSY
            return .failure(isBusy ? .overloaded : .unavailable)
        // The exit code 127 comes from the dynamic linker if a library is missing, or from a shell if a program is
        // missing.
        case .exited(127): return .failure(.unavailable)
        case .exited(0): break
        case .exited: return .failure(.unreadable)
        }
        var facts = stat()
        guard fstat(raw, &facts) == 0, facts.st_size > 0,
            form.matches(head: head(of: raw, count: PictureKind.headLength))
        else { return .failure(.unreadable) }
        var size = Int(facts.st_size)
        if form.format == .webp {
            guard let clean = WebPContainer.withoutMetadata(head(of: raw, count: size)),
                pwrite(raw, clean, clean.count, 0) == clean.count, ftruncate(raw, clean.count) == 0
            else { return .failure(.unreadable) }
            size = clean.count
        }
        isKept = true
        return .success(ThumbnailFile(owning: raw, size: size))
    }

    /// Returns all environment variables of the program.
    private func environment(for kind: PictureKind, directory: String) -> [String] {
        var environment = [
            // Disables the decoders that libvips considers unsafe for untrusted content (8.13 and later).
            "VIPS_BLOCK_UNTRUSTED=1", "VIPS_CONCURRENCY=1", "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + directory,
        ]
        // The loadable modules of libvips include ImageMagick, OpenSlide and Poppler. Loading all of them at startup
        // takes half of the processor time of a thumbnail. Setting VIPSHOME to another directory prevents this. Only
        // HEIF needs one of the modules.
        if kind != .heif { environment.append("VIPSHOME=" + directory) }
        return environment
    }

    /// Returns the first `count` bytes of an open file; fewer if the file is shorter.
    private func head(of descriptor: Int32, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
    }
}
