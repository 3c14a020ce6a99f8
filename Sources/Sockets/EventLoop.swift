import CLinux
import Glibc
import Synchronization
import Threads

/// A thread that runs epoll and the jobs of the tasks on this loop.
///
/// The loop is a task executor: a task with `Task(executorPreference: loop)` runs on the loop's thread from its first
/// job to its last. The task suspends where blocking code would block. Jobs from the thread itself go to a queue
/// without a lock. Jobs from other threads go to a locked queue, with a wake-up only if the loop sleeps. Actors can use
/// the loop as a serial executor too, but tasks are cheaper, because the Swift runtime runs jobs in the name of the
/// task executor.
///
/// Unchecked: except for `remote` and the atomics, all state is accessed only on the loop's thread.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private struct Remote {
        var jobs: [UnownedJob] = []
        var closures: [() -> Void] = []
        var isRunning = true
        var isStopping = false
        var enders: [CheckedContinuation<Void, Never>] = []
    }

    /// The thread's name.
    package let name: String
    /// Called on the thread before `epoll_wait` blocks, to release resources that must not be held while idle. Set this
    /// once, on the thread.
    package var beforeBlocking: (() -> Void)?
    /// The time on `MonotonicClock`, read after each poll.
    package private(set) var now = MonotonicClock.now
    /// The number of `epoll_wait` calls since the start, for tests and metrics. Read it on the thread.
    package private(set) var pollCount = 0

    private let remote = Locked(Remote())
    private let hasRemoteWork = Atomic<Bool>(false)
    private let isSleeping = Atomic<Bool>(false)
    private let thread = Atomic<UInt>(0)
    private let epoll: FileDescriptor
    private let wakeUp: FileDescriptor

    private var local: [UnownedJob] = []
    private var batch: [UnownedJob] = []
    private var endOfIteration: [any LoopIterationObserver] = []
    private var handles = HandleTable()
    private var timers = TimerQueue()
    private var isClosing = false
    private static let eventsPerPoll = 256
    /// The maximum number of timers that fire per poll: about 0.5 ms of work. If a thousand connections time out
    /// together, the loop closes them in groups, because closing is not urgent.
    private static let timersPerPoll = 32
    /// How long rounds of local jobs may follow each other without a poll, in nanoseconds.
    private static let shortNanoseconds: UInt64 = 250_000
    private let timeSlice: UInt64
    private let clock: LoopClock?
    /// The end of the running job's time slice on `MonotonicClock`; 0 until the job first asks for it.
    private var sliceEnd: UInt64 = 0

    /// Creates the loop and starts its thread. The thread keeps the loop alive until `stop()`.
    ///
    /// - Parameters:
    ///   - timeSlice: How long a job may run before it should yield; at most a day.
    ///   - clock: The clock of timers and deadlines; `nil` for the system's monotonic clock.
    /// - Throws: `SocketError.system` if the epoll instance or the eventfd cannot be created.
    package init(
        name: String, timeSlice: Duration = .microseconds(250), clock: LoopClock? = nil
    ) throws(SocketError) {
        self.name = name
        self.clock = clock
        self.timeSlice = min(timeSlice.clampedNanoseconds, 86_400_000_000_000)
        let epoll = fogbase_epoll_create()
        guard epoll >= 0 else { throw .last("epoll_create1") }
        self.epoll = FileDescriptor(owning: epoll)
        let wakeUp = fogbase_eventfd()
        guard wakeUp >= 0 else { throw .last("eventfd") }
        self.wakeUp = FileDescriptor(owning: wakeUp)
        // The eventfd is edge triggered and never read: each write is a new edge.
        guard fogbase_epoll_add(epoll, wakeUp, fogbase_stream_events(0), 0) == 0 else { throw .last("epoll_ctl") }
        start()
        clock?.add(self)
    }

    /// The current time in nanoseconds, on the same clock as `now`.
    package var time: UInt64 { clock?.now ?? MonotonicClock.now }

    /// Whether the calling code runs on the loop's thread.
    package var isOnThread: Bool {
        thread.load(ordering: .relaxed) == SystemThread.current
    }

    package func checkIsolated() {
        precondition(isOnThread, "Work of the event loop \(name) ran on another thread")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isOnThread
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnThread {
            local.append(job)
        } else {
            submit { $0.jobs.append(job) }
        }
    }

    /// Runs `body` on the loop's thread: immediately if the caller is on that thread, otherwise soon.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if isOnThread {
            body()
        } else {
            submit { $0.closures.append(body) }
        }
    }

    /// Whether the running job has used up its time slice. The slice starts when the job first reads this property.
    /// Read it on the thread only.
    package var isTimeSliceOver: Bool {
        let time = time
        if sliceEnd == 0 { sliceEnd = time + timeSlice }
        return time >= sliceEnd
    }

    /// Yields to other jobs if the running job has used up its time slice. Call this on the thread only.
    package func yieldIfTimeSliceIsOver() async {
        if isTimeSliceOver { await Task.yield() }
    }

    /// Calls `member` once, after the current round of jobs and before the next poll. Call this on the thread only.
    package func callAtEndOfIteration(_ member: any LoopIterationObserver) {
        endOfIteration.append(member)
    }

    /// Stops the loop after the last job, and suspends until then. Open handles are closed, and tasks that wait for
    /// handles resume. A job that arrives later runs on a new, short-lived thread.
    package func stop() async {
        requestStop()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let hasEnded = remote.withLock { remote in
                if remote.isRunning { remote.enders.append(continuation) }
                return !remote.isRunning
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Requests the end of the loop without waiting for it.
    package func requestStop() {
        submit { $0.isStopping = true }
    }

    private func submit(_ change: (inout Remote) -> Void) {
        let starts = remote.withLock { remote in
            change(&remote)
            defer { remote.isRunning = true }
            return !remote.isRunning
        }
        if starts {
            start()
            return
        }
        // Each side stores its own flag before it loads the other side's flag, in one total order. So either the loop
        // sees the work before it sleeps, or this thread sees that the loop sleeps.
        hasRemoteWork.store(true, ordering: .sequentiallyConsistent)
        if isSleeping.load(ordering: .sequentiallyConsistent),
            isSleeping.exchange(false, ordering: .sequentiallyConsistent)
        {
            var one: UInt64 = 1
            _ = write(wakeUp.raw, &one, 8)
        }
    }

    private func start() {
        SystemThread.start(name: name) { [self] in run() }
    }
}

// MARK: - Iterations of the loop

/// An object that the loop calls at the end of an iteration.
package protocol LoopIterationObserver: AnyObject {
    /// Called once after a round of jobs, if registered with `callAtEndOfIteration`.
    func iterationDidEnd()
}

extension EventLoop {
    private func run() {
        thread.store(SystemThread.current, ordering: .relaxed)
        let events = UnsafeMutablePointer<fogbase_event>.allocate(capacity: Self.eventsPerPoll)
        defer { events.deallocate() }
        hasRemoteWork.store(true, ordering: .relaxed)
        // After an iteration that served several sockets, the loop yields the processor and polls once more before it
        // blocks. With few cores, the clients use this time to send more requests, and one iteration serves all of them
        // (measured: 7.6 instead of 9.7 µs per request with two loops and the load generator on two cores). With a
        // single client, the loop does not yield.
        var hasYielded = true
        while true {
            if hasRemoteWork.load(ordering: .relaxed) { takeRemoteWork() }
            // A chain of short jobs needs no poll between its links. If the rounds are long, only one round runs per
            // poll. So a connection with little work waits for one round instead of four.
            var rounds = 0
            while !local.isEmpty, rounds == 0 || rounds < 4 && time &- now < Self.shortNanoseconds {
                runLocalJobs()
                rounds += 1
            }
            let came = poll(events, timeout: 0)
            guard came == 0, local.isEmpty, !hasRemoteWork.load(ordering: .relaxed) else {
                hasYielded = came < 2
                continue
            }
            if !hasYielded {
                hasYielded = true
                sched_yield()
                continue
            }
            if isClosing {
                for handle in handles.all { handle.loopDidStop() }
                guard local.isEmpty else { continue }
                letGo()
                if endIfDone() { return }
                continue
            }
            beforeBlocking?()
            guard local.isEmpty else { continue }
            isSleeping.store(true, ordering: .sequentiallyConsistent)
            if !hasRemoteWork.load(ordering: .sequentiallyConsistent) {
                hasYielded = poll(events, timeout: millisecondsToNextTimer) < 2
            }
            isSleeping.store(false, ordering: .relaxed)
        }
    }

    /// Polls for events, then fires timers.
    ///
    /// - Returns: The number of events and timers.
    private func poll(_ events: UnsafeMutablePointer<fogbase_event>, timeout: Int32) -> Int {
        pollCount += 1
        let count = Int(fogbase_epoll_wait(epoll.raw, events, Int32(Self.eventsPerPoll), timeout))
        now = time
        // A signal (EINTR) is not an event; the loop polls again.
        if count > 0 {
            for index in 0..<count where events[index].data != 0 {
                handles[events[index].data]?.eventsDidCome(events[index].events)
            }
        }
        var due = 0
        for _ in 0..<Self.timersPerPoll {
            guard let handle = timers.popDue(at: now) else { break }
            handle.timerDidFire(at: now)
            due += 1
        }
        return max(count, 0) + due
    }

    private var millisecondsToNextTimer: Int32 {
        guard let soonest = timers.soonest else { return -1 }
        let time = time
        guard soonest > time else { return 0 }
        return Int32(clamping: (soonest - time + 999_999) / 1_000_000)
    }

    private func runLocalJobs() {
        swap(&local, &batch)
        let executor = asUnownedTaskExecutor()
        for job in batch {
            sliceEnd = 0
            job.runSynchronously(on: executor)
        }
        batch.removeAll(keepingCapacity: batch.count <= 4096)
        if !endOfIteration.isEmpty {
            let members = endOfIteration
            endOfIteration.removeAll(keepingCapacity: true)
            for member in members { member.iterationDidEnd() }
        }
    }

    private func takeRemoteWork() {
        hasRemoteWork.store(false, ordering: .sequentiallyConsistent)
        let (jobs, closures, isStopping) = remote.withLock { remote in
            defer {
                remote.jobs.removeAll(keepingCapacity: remote.jobs.count <= 1024)
                remote.closures = []
            }
            return (remote.jobs, remote.closures, remote.isStopping)
        }
        isClosing = isStopping
        local.append(contentsOf: jobs)
        for closure in closures { closure() }
    }

    /// Releases the references that would keep the loop alive forever: the timers' handles and the hook.
    private func letGo() {
        while timers.popDue(at: .max) != nil {}
        beforeBlocking = nil
    }

    private func endIfDone() -> Bool {
        let enders: [CheckedContinuation<Void, Never>]? = remote.withLock { remote in
            guard remote.jobs.isEmpty, remote.closures.isEmpty else { return nil }
            remote.isRunning = false
            thread.store(0, ordering: .relaxed)
            defer { remote.enders = [] }
            return remote.enders
        }
        guard let enders else { return false }
        for ender in enders { ender.resume() }
        return true
    }
}

// MARK: - For handles, on the loop's thread

extension EventLoop {
    func add(_ handle: LoopHandle, descriptor: Int32, events: UInt32) throws(SocketError) {
        assert(isOnThread)
        let token = handles.insert(handle)
        guard fogbase_epoll_add(epoll.raw, descriptor, events, token) == 0 else {
            let error = SocketError.last("epoll_ctl")
            handles.remove(handle)
            throw error
        }
    }

    func change(_ handle: LoopHandle, descriptor: Int32, events: UInt32) {
        guard let token = handle.token else { return }
        _ = fogbase_epoll_change(epoll.raw, descriptor, events, token)
    }

    /// Removes a handle. Closing a descriptor removes it from epoll. Pass `descriptor` only for a descriptor that stays
    /// open.
    func remove(_ handle: LoopHandle, descriptor: Int32? = nil) {
        assert(isOnThread)
        if let descriptor { _ = fogbase_epoll_remove(epoll.raw, descriptor) }
        handles.remove(handle)
        timers.remove(handle)
    }

    func arm(_ handle: LoopHandle, at time: UInt64) {
        assert(isOnThread)
        timers.arm(handle, at: time)
    }
}
