import CloudKitImport
import Glibc
import RecordStorage
import RecordWire
import Threads

/// The work of an import on a thread of its own, while the main thread shows the progress and waits for signals.
struct ImportWork {
    let configuration: Configuration
    let source: SourceDatabase
    let credential: SourceCredential
    let owner: String?
    let options: Importer.Options
    let journal: ImportJournal
    let http: SourceHTTP
    /// The file with the web auth token.
    let tokenFile: String?

    /// What both threads share.
    private struct Shared {
        var progress = ImportProgress()
        var result: Result<ImportReport, ImportError>?
    }

    /// Runs the import until its end, or until a signal arrives.
    ///
    /// - Throws: `interrupted` after a signal; `failed`.
    func run(until stop: StopSignal) throws(ImportError) -> ImportReport {
        let clock = ImportWallClock()
        let shared = Locked(Shared())
        let executor = ThreadExecutor(name: "fog-importer")
        start(on: executor, clock, shared)
        var display = ImportDisplay()
        var isStopping = false
        while true {
            let (progress, result) = shared.withLock { ($0.progress, $0.result) }
            if let result {
                display.end()
                let http = http
                Blocking.run { await http.close() }
                executor.shutdown()
                return try result.get()
            }
            display.show(progress, now: Int64(MonotonicClock.now / 1_000_000))
            guard stop.wait(milliseconds: Self.pollMilliseconds) else { continue }
            // What is stored is stored. A second signal does not wait for the end of a request.
            if isStopping { _exit(ExitCode.interrupted.rawValue) }
            isStopping = true
            clock.interrupt()
            let http = http
            Blocking.run { await http.close() }
        }
    }

    private static let pollMilliseconds = 50

    private func start(on executor: ThreadExecutor, _ clock: ImportWallClock, _ shared: Locked<Shared>) {
        let parts = Parts(work: self)
        Task.detached(executorPreference: executor) {
            let result: Result<ImportReport, ImportError>
            do throws(ImportError) {
                result = .success(try await parts.work.perform(clock, shared))
            } catch {
                result = .failure(error)
            }
            shared.withLock { $0.result = result }
        }
    }

    /// The work on its way to its thread.
    ///
    /// Unchecked: the main thread does not use the journal after the start.
    private struct Parts: @unchecked Sendable {
        let work: ImportWork
    }

    private func perform(
        _ clock: ImportWallClock, _ shared: Locked<Shared>
    ) async throws(ImportError) -> ImportReport {
        let target: OperatorTarget
        do throws(Failure) {
            target = try OperatorTarget(configuration, owner: owner, clock: clock)
        } catch {
            throw .failed(error.sentences)
        }
        let tokenFile = tokenFile
        let client = SourceClient(source, credential, transport: http, clock: clock) { token throws(ImportError) in
            guard let tokenFile else { return }
            let directory = tokenFile.lastIndex(of: "/").map { String(tokenFile[..<$0]) } ?? "."
            do throws(DataDirectory.Problem) {
                try DataDirectory.writeDurably(
                    Array((token + "\n").utf8), to: tokenFile, in: directory.isEmpty ? "/" : directory)
            } catch {
                throw .failed("\(error). The next web auth token could not be stored.")
            }
        }
        let journal = journal
        let importer = Importer(
            from: client, to: target, options, clock: clock, state: journal.state,
            store: { event throws(ImportError) in try journal.store(event) },
            observe: { progress in shared.withLock { $0.progress = progress } })
        return try await importer.run()
    }
}

/// The clock of an import, which a signal stops.
final class ImportWallClock: ImportClock {
    private let isInterrupted = Locked(false)
    private static let stepMilliseconds: Int64 = 100

    func interrupt() {
        isInterrupted.withLock { $0 = true }
    }

    var now: Int64 { WallClock.milliseconds }

    func wait(milliseconds: Int64) async throws(ImportError) {
        var rest = milliseconds
        while rest > 0 {
            try checkInterruption()
            try? await Task.sleep(for: .milliseconds(min(rest, Self.stepMilliseconds)))
            rest -= Self.stepMilliseconds
        }
        try checkInterruption()
    }

    func checkInterruption() throws(ImportError) {
        guard !isInterrupted.withLock({ $0 }) else { throw .interrupted }
    }
}

/// The directory for downloaded files, beside the state file.
struct ImportFiles {
    let directory: String

    init(beside path: String) {
        directory = path + ".files"
    }

    /// Makes the directory, and removes files of an interrupted import.
    func prepare() throws(Failure) {
        remove()
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw Failure("The directory \(directory) for downloaded files cannot be created: \(SystemError.text).")
        }
    }

    func remove() {
        for name in DirectoryInspection.files(in: directory) { unlink(directory + "/" + name) }
        rmdir(directory)
    }
}

/// Shows how far an import is: on a terminal in one line, else in a line every ten seconds.
struct ImportDisplay {
    private let started = Int64(MonotonicClock.now / 1_000_000)
    private var printed: Int64
    private var hasPrinted = false

    private static let interval: Int64 = 10_000

    init() {
        printed = started
    }

    /// - Parameter now: Milliseconds on the monotonic clock.
    mutating func show(_ progress: ImportProgress, now: Int64) {
        let line = Self.line(progress, milliseconds: now - started)
        if isatty(STDERR_FILENO) == 1 {
            hasPrinted = true
            return Terminal.showProgress(String(line.prefix(max(0, Terminal.width - 1))))
        }
        guard now - printed >= Self.interval else { return }
        printed = now
        Terminal.complain(line)
    }

    func end() {
        if hasPrinted { Terminal.showProgress("") }
    }

    /// Returns a line such as `3 of 9 types and zones, 12,400 records, 620/s, 31 files (48 MB), reading Tree`.
    static func line(_ progress: ImportProgress, milliseconds: Int64) -> String {
        var parts: [String] = []
        if progress.walks > 0 { parts.append("\(progress.walksDone) of \(progress.walks) types and zones") }
        parts.append("\(JobProgress.grouped(progress.records)) records")
        if milliseconds >= 1_000, progress.records > 0 {
            parts.append("\(JobProgress.grouped(progress.records * 1_000 / milliseconds))/s")
        }
        if progress.assets > 0 {
            parts.append(
                "\(JobProgress.grouped(progress.assets)) files (\(ByteCount.showRounded(Int(progress.bytes))))")
        }
        if !progress.activity.isEmpty { parts.append(progress.activity) }
        return parts.joined(separator: ", ")
    }
}
