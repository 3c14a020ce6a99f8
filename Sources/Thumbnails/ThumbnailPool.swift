import Glibc
import Threads

/// Makes thumbnails with libvips' program `vipsthumbnail`, each in a process of its own that is bounded in time and memory.
///
/// Decoders of pictures are the largest and most attacked code that content from strangers meets. So they run outside the
/// server: a process that crashes, hangs or grows takes nothing along. It sees one open file, writes another, has an empty
/// environment and folder, and cannot gain privileges. The program is optional and looked for whenever it is needed.
///
/// At most `limits.processes` threads run processes, one each, and start with the first need; one more thread does the
/// file work of the caches. End a pool with `shutdown`.
package final class ThumbnailPool: Sendable {
    private struct State {
        var waiting: [ThumbnailJob] = []
        var running: [ThumbnailJob] = []
        var threads = 0
        var isClosed = false
        var enders: [CheckedContinuation<Void, Never>] = []
    }

    /// What processes may take.
    package let limits: ThumbnailLimits
    /// The thread of the caches.
    let files: ThreadExecutor
    private let finder: ProgramFinder
    private let scratch: ScratchFolder
    private let state = Monitor(State())

    /// Creates a pool, which takes nothing but a thread until it is used.
    ///
    /// - Parameters:
    ///   - program: The program: an absolute path, or a name that is looked for in PATH.
    ///   - scratch: A folder for this pool alone, made when needed, by an absolute path. What is in it may vanish.
    ///   - limits: What processes may take.
    package init(program: String = "vipsthumbnail", scratch: String, limits: ThumbnailLimits = ThumbnailLimits()) {
        self.limits = limits
        files = ThreadExecutor(name: "thumbnail files")
        finder = ProgramFinder(name: program)
        self.scratch = ScratchFolder(path: scratch)
        _ = finder.find()
    }

    /// Whether the program was there when it was last looked for, at most about a second before the previous call.
    ///
    /// Never blocks: an old answer is returned once more, while a thread of the pool looks again.
    package var isAvailable: Bool {
        let (path, isOld) = finder.known
        if isOld && !isClosed {
            Task(executorPreference: files) { [finder] in _ = finder.find() }
        }
        return path != nil
    }

    /// How many thumbnails wait for a process, and how many are being made.
    package var load: (waiting: Int, running: Int) {
        state.withLock { ($0.waiting.count, $0.running.count) }
    }

    /// Whether `shutdown` was called.
    var isClosed: Bool {
        state.withLock { $0.isClosed }
    }

    /// Makes a picture smaller, and suspends until that is done.
    ///
    /// The kind of the file is told from its first bytes; anything but JPEG, PNG, GIF, WebP and HEIF is `.unreadable`
    /// without a process. Cancelling the task kills the process.
    ///
    /// - Parameter path: The picture. It is opened by this process; the program gets an open file and no path.
    /// - Returns: The thumbnail in a file that exists in memory only.
    func thumbnail(of path: String, form: ThumbnailForm) async throws(ThumbnailError) -> ThumbnailFile {
        let job = ThumbnailJob(path: path, form: form)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<ThumbnailJob.Outcome, Never>) in
                job.continuation.withLock { $0 = continuation }
                submit(job)
            }
        } onCancel: {
            cancel(job)
        }
        return try result.get()
    }

    /// Kills what runs, refuses what waits and what comes later with `.closed`, and suspends until no process and no
    /// thread of the pool is left.
    package func shutdown() async {
        let (waiting, running) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (state.waiting, state.running)
        }
        for job in waiting { job.finish(.failure(.closed)) }
        for job in running { job.process.kill() }
        state.broadcast()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = state.withLock { state in
                if state.threads > 0 { state.enders.append(continuation) }
                return state.threads == 0
            }
            if isOver { continuation.resume() }
        }
        await files.end()
    }

    private func submit(_ job: ThumbnailJob) {
        let (refusal, starts) = state.withLock { state -> (ThumbnailError?, Bool) in
            // A job that was cancelled before it came here: nobody would find it in the queue any more.
            if state.isClosed || job.process.isKilled { return (.closed, false) }
            let free = limits.processes - state.running.count
            guard state.waiting.count < limits.queue + free else { return (.overloaded, false) }
            state.waiting.append(job)
            let idle = state.threads - state.running.count
            guard state.waiting.count > idle, state.threads < limits.processes else { return (nil, false) }
            state.threads += 1
            return (nil, true)
        }
        if let refusal { return job.finish(.failure(refusal)) }
        if starts {
            SystemThread.start(name: "thumbnails") { [self] in work() }
        } else {
            state.signal()
        }
    }

    private func cancel(_ job: ThumbnailJob) {
        // First marked, then looked for: `submit` looks at the mark under the lock.
        job.process.kill()
        let isWaiting = state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0 === job }) else { return false }
            state.waiting.remove(at: place)
            return true
        }
        if isWaiting { job.finish(.failure(.closed)) }
    }

    /// A thread: it must outlive the processes that it starts, for they are killed when it ends.
    private func work() {
        while true {
            let job: ThumbnailJob? = state.wait(
                until: { state in !state.waiting.isEmpty || state.isClosed },
                then: { state in
                    guard !state.waiting.isEmpty else { return nil }
                    let job = state.waiting.removeFirst()
                    state.running.append(job)
                    return job
                })
            guard let job else { break }
            let outcome = job.perform(finder: finder, scratch: scratch, limits: limits)
            state.withLock { state in
                state.running.removeAll { $0 === job }
            }
            job.finish(outcome)
        }
        let enders = state.withLock { state in
            state.threads -= 1
            defer { if state.threads == 0 { state.enders = [] } }
            return state.threads == 0 ? state.enders : []
        }
        for ender in enders { ender.resume() }
    }
}
