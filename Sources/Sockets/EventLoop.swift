import CLinux
import Glibc
import Synchronization
import Threads

/// One thread that runs epoll and the jobs of everything pinned to it.
///
/// It is a task executor: `Task(executorPreference: loop)` lives on the loop's thread from its first job to its last, and
/// suspends where blocking code would block. Jobs that come from the thread itself go to a plain queue; others go to a
/// locked one, with a wake-up only if the loop sleeps. As a serial executor it serves actors, too, though tasks are the
/// cheaper form: jobs run in the name of the task executor.
///
/// Unchecked: what is not behind `remote` or atomic is touched on the loop's thread only.
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
    /// Called on the thread before it really waits: whatever should not outlive a moment of idleness ends here.
    /// Set once, on the thread.
    package var beforeBlocking: (() -> Void)?
    /// The time on `MonotonicClock`, read once per turn of the loop.
    package private(set) var now = MonotonicClock.now
    /// System calls that waited or looked for events, since the start; for tests and metrics, on the thread.
    package private(set) var pollCount = 0

    private let remote = Locked(Remote())
    private let hasRemoteWork = Atomic<Bool>(false)
    private let isSleeping = Atomic<Bool>(false)
    private let thread = Atomic<UInt>(0)
    private let epoll: FileDescriptor
    private let wakeUp: FileDescriptor

    private var local: [UnownedJob] = []
    private var batch: [UnownedJob] = []
    private var endOfTurn: [any EndOfTurn] = []
    private var handles = HandleTable()
    private var timers = TimerQueue()
    private var isClosing = false
    private static let eventsPerPoll = 256
    /// Timers that fire in one turn, about half a millisecond's worth: of a thousand clients whose time ends at once a few are
    /// closed at a time, as nobody waits for that.
    private static let timersPerTurn = 32
    /// So long a turn may last and still go on without a look at the sockets.
    private static let shortNanoseconds: UInt64 = 250_000
    private let timeSlice: UInt64
    /// When the time slice of the running job ends; 0 until the job asks.
    private var sliceEnd: UInt64 = 0

    /// Makes the loop and starts its thread, which keeps the loop alive until `stop()`.
    ///
    /// - Parameter timeSlice: How long a job may go on before it lets others run; at most a day.
    package init(name: String, timeSlice: Duration = .microseconds(250)) throws(SocketError) {
        self.name = name
        self.timeSlice = min(timeSlice.clampedNanoseconds, 86_400_000_000_000)
        let epoll = fogbase_epoll_create()
        guard epoll >= 0 else { throw .last("epoll_create1") }
        self.epoll = FileDescriptor(owning: epoll)
        let wakeUp = fogbase_eventfd()
        guard wakeUp >= 0 else { throw .last("eventfd") }
        self.wakeUp = FileDescriptor(owning: wakeUp)
        // Edge triggered, and never read: each write is an edge.
        guard fogbase_epoll_add(epoll, wakeUp, fogbase_stream_events(0), 0) == 0 else { throw .last("epoll_ctl") }
        start()
    }

    /// Whether the caller runs on the loop's thread.
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

    /// Runs `body` on the loop's thread: at once if the caller is on it, else soon.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if isOnThread {
            body()
        } else {
            submit { $0.closures.append(body) }
        }
    }

    /// Whether the running job has used up its time slice, which begins when a job asks first. On the thread only.
    package var isTimeSliceOver: Bool {
        let time = MonotonicClock.now
        if sliceEnd == 0 { sliceEnd = time + timeSlice }
        return time >= sliceEnd
    }

    /// Lets others run if the running job has used up its time slice. On the thread only.
    package func yieldIfTimeSliceIsOver() async {
        if isTimeSliceOver { await Task.yield() }
    }

    /// Calls `member` once when the jobs of this turn have run and before the loop looks for events. On the thread only.
    package func callAtEndOfTurn(_ member: any EndOfTurn) {
        endOfTurn.append(member)
    }

    /// Ends the loop once nothing is left to run, and suspends until then: handles that are still there are closed, and
    /// whoever waits on them resumes. A job that comes later still is run by a new, short-lived thread.
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

    /// Begins to stop, without waiting for the end.
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
        // Both sides store their own flag before they load the other's, in one total order: either the loop sees the work
        // before it sleeps, or this sees the loop sleep.
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

// MARK: - The turns of the loop

/// What wants to be called when the jobs of a turn have run.
package protocol EndOfTurn: AnyObject {
    func turnDidEnd()
}

extension EventLoop {
    private func run() {
        thread.store(SystemThread.current, ordering: .relaxed)
        let events = UnsafeMutablePointer<fogbase_event>.allocate(capacity: Self.eventsPerPoll)
        defer { events.deallocate() }
        hasRemoteWork.store(true, ordering: .relaxed)
        // A turn that served several sockets is followed by one more look after the processor was offered to others: on
        // few cores the clients then send more, and one turn serves it all (measured: 7.6 instead of 9.7 µs per request,
        // two loops and the load generator on two cores). A lone client does not pay for it.
        var hasYielded = true
        while true {
            if hasRemoteWork.load(ordering: .relaxed) { takeRemoteWork() }
            // A chain of short jobs need not look at the sockets between its links. Where many have much to do, whoever has
            // little waits for one round of theirs and not for four.
            var rounds = 0
            while !local.isEmpty, rounds == 0 || rounds < 4 && MonotonicClock.now &- now < Self.shortNanoseconds {
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

    /// Looks for events, then for timers; returns how many events there were.
    private func poll(_ events: UnsafeMutablePointer<fogbase_event>, timeout: Int32) -> Int {
        pollCount += 1
        let count = Int(fogbase_epoll_wait(epoll.raw, events, Int32(Self.eventsPerPoll), timeout))
        now = MonotonicClock.now
        // A signal (EINTR) is as good as no event: the loop turns again.
        if count > 0 {
            for index in 0..<count where events[index].data != 0 {
                handles[events[index].data]?.eventsDidCome(events[index].events)
            }
        }
        var due = 0
        for _ in 0..<Self.timersPerTurn {
            guard let handle = timers.popDue(at: now) else { break }
            handle.timerDidFire(at: now)
            due += 1
        }
        return max(count, 0) + due
    }

    private var millisecondsToNextTimer: Int32 {
        guard let soonest = timers.soonest else { return -1 }
        let time = MonotonicClock.now
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
        if !endOfTurn.isEmpty {
            let members = endOfTurn
            endOfTurn.removeAll(keepingCapacity: true)
            for member in members { member.turnDidEnd() }
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

    /// Forgets what would hold the loop for ever: alarms that will not ring any more hold it, and so does what the hook holds.
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

    /// Forgets a handle. Closing a descriptor takes it out of epoll; `descriptor` is for one that stays open.
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
