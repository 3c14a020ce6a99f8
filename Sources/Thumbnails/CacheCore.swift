import Glibc
import Threads

/// The state of a thumbnail cache. The actor runs on the pool's thread for file access.
actor CacheCore {
    typealias Name = CacheIndex.Name
    typealias Outcome = ThumbnailJob.Outcome

    private nonisolated let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let files: CacheFiles
    private let maxBytes: Int
    private let pool: ThumbnailPool
    private var index = CacheIndex()
    private var failures = FailureCache()
    private var flights = SingleFlight()
    private var nextNumber = 0
    /// The tasks that may access the directory: flights and the scan of the directory.
    private var tasks: [Int: Task<Void, Never>] = [:]
    /// The keys whose directories have been read; `nil` once all have been read.
    private var known: Set<String>? = []
    private var loading: Task<Void, Never>?
    /// The time until which the disk is treated as full, in monotonic nanoseconds.
    private var fullUntil: UInt64 = 0
    private var isClosed = false

    init(files: CacheFiles, maxBytes: Int, pool: ThumbnailPool) {
        self.files = files
        self.maxBytes = maxBytes
        self.pool = pool
        executor = pool.files
    }

    func thumbnail(of path: String, as name: Name) async -> Outcome {
        let ticket = number()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: SingleFlight.Waiter) in
                respond(continuation, ticket: ticket, name: name, path: path)
            }
        } onCancel: {
            Task { await leave(ticket) }
        }
    }

    /// Responds at once or adds the waiter to a flight. The function does not suspend, so the state cannot change while
    /// it runs.
    private func respond(_ waiter: SingleFlight.Waiter, ticket: Int, name: Name, path: String) {
        // The task may already be canceled. In that case `leave` may have run without finding the ticket, so the waiter
        // must not be added.
        guard !isClosed, !pool.isClosed, !Task.isCancelled else { return waiter.resume(returning: .failure(.closed)) }
        startLoading()
        if let file = stored(name) { return waiter.resume(returning: .success(file)) }
        let now = MonotonicClock.now
        if let error = failures.error(of: name.key, at: now) { return waiter.resume(returning: .failure(error)) }
        // Reject the request while the disk is full. Otherwise each request would start a process whose result cannot
        // be stored, and attackers could overload the server.
        guard fullUntil <= now else { return waiter.resume(returning: .failure(.storageFull)) }
        flights.join(flight(for: name, of: path), ticket: ticket, waiter: waiter)
    }

    func forget(_ key: String) {
        failures.forget(key)
        flights.forget(key)
        guard !isClosed else { return }
        read(key)
        let entries = index.removeAll(of: key)
        for entry in entries { files.remove(entry.name, size: entry.size, isLast: true) }
        // Remove the key from `known` as well. Without any request for a thumbnail, the scan never completes, and the
        // keys of all deleted assets would accumulate in `known`.
        known?.remove(key)
    }

    func close() async {
        isClosed = true
        for task in tasks.values { task.cancel() }
        while let task = tasks.values.first { await task.value }
    }

    var usage: (files: Int, bytes: Int) { (index.count, index.bytes) }

    /// The number of originals whose directories have been read; 0 once the scan is complete.
    var knownCount: Int { known?.count ?? 0 }

    func load() async {
        startLoading()
        await loading?.value
    }

    // MARK: - Files

    private func stored(_ name: Name) -> ThumbnailFile? {
        read(name.key)
        guard let entry = index[name] else { return nil }
        guard let file = files.open(name, size: entry.size) else {
            index.remove(name)
            return nil
        }
        if index.use(name, at: WallClock.milliseconds * 1_000_000) { files.mark(file) }
        return file
    }

    private func store(_ made: ThumbnailFile, of flight: SingleFlight.Flight) -> Outcome {
        let keeps = !flight.isForgotten && !isClosed && CacheIndex.space(for: made.size) <= maxBytes
        do throws(ThumbnailError) {
            let file = try files.store(made, as: flight.name, number: number(), keeps: keeps)
            if keeps {
                known?.insert(flight.name.key)
                index.add(flight.name, size: made.size, lastUse: WallClock.milliseconds * 1_000_000)
                evict()
            }
            return .success(file)
        } catch {
            if error == .storageFull { fullUntil = MonotonicClock.now &+ 5_000_000_000 }
            return .failure(error)
        }
    }

    private func evict() {
        for entry in index.evict(to: maxBytes) {
            files.remove(entry.name, size: entry.size, isLast: !index.has(entry.name.key))
        }
    }

    /// Reads the files of an original into the index. Does nothing if they have already been read.
    private func read(_ key: String) {
        guard known?.insert(key).inserted == true else { return }
        for (name, size, lastUse) in files.list(key) {
            // One form has two sizes if the server was killed while it replaced the file. Keep only one of the two
            // files.
            if let old = index[name] { files.remove(name, size: old.size, isLast: false) }
            index.add(name, size: size, lastUse: lastUse)
        }
    }

    /// Starts the scan of the directory, unless it was started before. The scan yields after each original, so that
    /// requests need not wait.
    private func startLoading() {
        guard loading == nil, !isClosed else { return }
        files.removeUnfinished()
        loading = track { core in
            for group in core.files.groups() {
                for key in core.files.keys(in: group) {
                    if Task.isCancelled || core.pool.isClosed { return }
                    core.read(key)
                    await Task.yield()
                }
            }
            core.known = nil
            core.evict()
        }
    }

    // MARK: - Flights

    /// Returns the number of the flight that makes a thumbnail. If there is no such flight, starts one.
    private func flight(for name: Name, of path: String) -> Int {
        if let flight = flights[name] { return flight }
        let flight = number()
        let task = track { core in
            let outcome: Outcome
            do throws(ThumbnailError) {
                outcome = .success(try await core.pool.thumbnail(of: path, form: name.form))
            } catch {
                outcome = .failure(error)
            }
            core.land(flight, with: outcome, of: path)
        }
        flights.begin(name, number: flight, task: task)
        return flight
    }

    private func land(_ number: Int, with outcome: Outcome, of path: String) {
        guard let flight = flights.land(number) else { return }
        let result: Outcome
        switch outcome {
        case .success(let made): result = store(made, of: flight)
        case .failure(let error):
            // Do not remember a file that cannot be opened: the failure needed no process, and the file may reappear.
            if !flight.isForgotten, access(path, R_OK) == 0 {
                failures.note(error, of: flight.name.key, at: MonotonicClock.now)
            }
            result = outcome
        }
        for waiter in flight.waiters.values { waiter.resume(returning: result) }
    }

    private func leave(_ ticket: Int) {
        flights.leave(ticket)?.resume(returning: .failure(.closed))
    }

    private func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    /// Starts a task on this actor. `close` waits for the task to end.
    private func track(_ body: @escaping (isolated CacheCore) async -> Void) -> Task<Void, Never> {
        let number = number()
        let task = Task {
            await body(self)
            tasks[number] = nil
        }
        tasks[number] = task
        return task
    }
}
