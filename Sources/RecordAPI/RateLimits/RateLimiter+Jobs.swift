internal import HTTP
internal import RecordEngine
internal import RecordModel

/// The limit of writes for the jobs of a caller: that of its account. A job has no address.
extension RateLimiter: WriteLimiter {
    /// The number of operations for which a job waits, so that its slices are not tiny.
    private static let awaitedOperations = 200
    /// The time in microseconds after which a job looks again, unless not even one operation is allowed by then.
    private static let longestWait: UInt64 = 1_000_000

    func allowance(of caller: Caller, in database: RecordDatabase) -> WriteAllowance? {
        guard let limit = limits.write, let holder = jobHolder(caller, of: database) else { return nil }
        let awaited = UInt64(min(limit.burst, Self.awaitedOperations))
        return WriteAllowance(
            operations: standing(of: key(.write, holder), limit).remaining,
            pause: .microseconds(max(limit.interval, min(limit.interval * awaited, Self.longestWait))))
    }

    func charge(_ operations: Int, to caller: Caller, in database: RecordDatabase) {
        guard operations > 0, let limit = limits.write, let holder = jobHolder(caller, of: database) else { return }
        _ = charge(operations, to: key(.write, holder), limit)
    }

    /// The owner of the bucket; `nil` for the operator, who has no limits (see `RateTicket.admit`).
    private func jobHolder(_ caller: Caller, of database: RecordDatabase) -> Holder? {
        let holder = Holder(caller, of: database)
        return holder == .administrator(Administrator.bootstrap.id) ? nil : holder
    }
}
