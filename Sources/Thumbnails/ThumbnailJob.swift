import CLinux
import Glibc
import Threads

/// A thumbnail to be made by a thread of the pool, and who waits for it.
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

    /// Resumes who waits; once.
    func finish(_ outcome: Outcome) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: outcome)
    }

    /// Makes the thumbnail, and blocks the thread until then.
    func perform(finder: ProgramFinder, scratch: ScratchFolder, limits: ThumbnailLimits) -> Outcome {
        guard let program = finder.find() else { return .failure(.unavailable) }
        let input = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard input >= 0 else { return .failure(errno == EMFILE || errno == ENFILE ? .overloaded : .unreadable) }
        defer { close(input) }
        guard let kind = PictureKind(head: head(of: input, count: PictureKind.headLength)) else {
            return .failure(.unreadable)
        }
        // A file in memory: whether the disk is full shows when the cache stores it, by a clear error of its own.
        let raw = fogbase_memory_file("thumbnail")
        guard raw >= 0 else { return .failure(.overloaded) }
        var isKept = false
        defer { if !isKept { close(raw) } }
        guard let folder = scratch.makeFolder() else { return .failure(.storageFull) }
        defer { scratch.remove(folder) }

        let end = process.run(
            program, arguments: form.programArguments, environment: environment(for: kind, folder: folder),
            folder: folder, input: input, output: raw, limits: limits)
        switch end {
        case .killed: return .failure(.closed)
        case .outOfTime: return .failure(.timedOut)
        case .notStarted(let code):
            let isBusy = code == EAGAIN || code == ENOMEM || code == EMFILE || code == ENFILE || code == ETXTBSY
            return .failure(isBusy ? .overloaded : .unavailable)
        // What the dynamic linker says when a library is missing, and a shell when a program is.
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

    /// All that the program's environment has.
    private func environment(for kind: PictureKind, folder: String) -> [String] {
        var environment = [
            // Decoders that libvips itself holds unfit for content from strangers are switched off (8.13 and later).
            "VIPS_BLOCK_UNTRUSTED=1", "VIPS_CONCURRENCY=1", "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + folder,
        ]
        // Among libvips' loadable modules are ImageMagick, OpenSlide and Poppler. All are loaded at the start, which is
        // half of the processor time of a thumbnail, unless libvips believes to live elsewhere. Only HEIF needs one.
        if kind != .heif { environment.append("VIPSHOME=" + folder) }
        return environment
    }

    /// The first bytes of an open file, fewer if it has fewer.
    private func head(of descriptor: Int32, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
    }
}
