import Glibc
import Threads

/// Makes thumbnails with the program `vipsthumbnail` of libvips. Each thumbnail is made in its own process with limits
/// on time and memory.
///
/// Picture decoders are large and often attacked, and the pool passes untrusted content to them. So they run outside
/// the server: if a process crashes, hangs or exhausts its memory, the server is not affected. The process reads one
/// open file and writes another. Its environment and its directory are empty, and it cannot gain privileges. The
/// program is optional and looked up at each use.
///
/// At most `limits.processes` threads run one process each. The pool starts these threads on demand. One more thread
/// performs the file access of the caches. Call `shutdown` to stop a pool.
package final class ThumbnailPool: Sendable {
    private struct State {
        var waiting: [ThumbnailJob] = []
        var running: [ThumbnailJob] = []
        var threads = 0
        var isClosed = false
        var enders: [CheckedContinuation<Void, Never>] = []
    }

    /// The resource limits of the processes.
    package let limits: ThumbnailLimits
    /// The thread that performs the file access of the caches.
    let files: ThreadExecutor
    private let finder: ProgramFinder
    private let scratch: ScratchDirectory
    private let state = Monitor(State())

    /// Creates a pool. Until the pool is used, it has only one thread.
    ///
    /// - Parameters:
    ///   - program: An absolute path, or the name of a program in a directory of PATH.
    ///   - scratch: The absolute path of a directory that only this pool uses. The directory is created on demand, and
    ///     its content is temporary.
    ///   - limits: The resource limits of the processes.
    package init(program: String = "vipsthumbnail", scratch: String, limits: ThumbnailLimits = ThumbnailLimits()) {
        self.limits = limits
        files = ThreadExecutor(name: "thumbnail files")
        finder = ProgramFinder(name: program)
        self.scratch = ScratchDirectory(path: scratch)
        _ = finder.find()
    }

    /// Whether the program existed at the last lookup. The lookup was at most about a second before the previous call.
    ///
    /// Reading the property never blocks. An outdated result is returned once more while a thread of the pool looks up
    /// the program again.
    package var isAvailable: Bool {
        let (path, isOld) = finder.known
        if isOld && !isClosed {
            Task(executorPreference: files) { [finder] in _ = finder.find() }
        }
        return path != nil
    }

    /// The number of thumbnails that wait for a process, and the number of thumbnails that are being made.
    package var load: (waiting: Int, running: Int) {
        state.withLock { ($0.waiting.count, $0.running.count) }
    }

    /// Whether `shutdown` was called.
    var isClosed: Bool {
        state.withLock { $0.isClosed }
    }

    /// Makes a thumbnail of a picture. The function suspends until the thumbnail is finished or has failed.
    ///
    /// The first bytes of the file determine its kind. For kinds other than JPEG, PNG, GIF, WebP and HEIF, the function
    /// throws `unreadable` without starting a process. Canceling the task kills the process.
    ///
    /// - Parameter path: The path of the picture. The server's process opens the file and passes the program only the
    ///   open file.
    /// - Returns: The thumbnail, as a file that exists only in memory.
    /// - Throws: Any `ThumbnailError` except `tooManyPixels`.
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

    /// Kills the running processes. Waiting and later requests fail with `closed`. The function suspends until all
    /// processes and threads of the pool have ended.
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
        let (rejection, starts) = state.withLock { state -> (ThumbnailError?, Bool) in
            // The job is already canceled. It must not enter the queue, because `cancel` does not run again.
            if state.isClosed || job.process.isKilled { return (.closed, false) }
            let free = limits.processes - state.running.count
            guard state.waiting.count < limits.queue + free else { return (.overloaded, false) }
            state.waiting.append(job)
            let idle = state.threads - state.running.count
            guard state.waiting.count > idle, state.threads < limits.processes else { return (nil, false) }
            state.threads += 1
            return (nil, true)
        }
        if let rejection { return job.finish(.failure(rejection)) }
        if starts {
            SystemThread.start(name: "thumbnails") { [self] in work() }
        } else {
            state.signal()
        }
    }

    private func cancel(_ job: ThumbnailJob) {
        // Mark the job before searching for it, because `submit` checks the mark under the lock.
        job.process.kill()
        let isWaiting = state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0 === job }) else { return false }
            state.waiting.remove(at: place)
            return true
        }
        if isWaiting { job.finish(.failure(.closed)) }
    }

    /// Runs jobs on a thread of the pool. The thread must wait for its processes: the kernel kills a process when the
    /// thread that started the process ends (PR_SET_PDEATHSIG).
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
