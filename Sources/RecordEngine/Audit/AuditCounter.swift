internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Counts events that are too frequent for one audit entry each. The events are counted per minute, and written
/// independently of the requests. A flood of events costs only a few entries per minute. A crash loses the events of
/// the last minute.
package final class AuditCounter: Sendable {
    /// Identifies the events that are counted together.
    struct Subject: Hashable, Sendable {
        var action: AuditAction
        var actorKind = "anonymous"
        var actor = ""
        var target = ""
        var outcome = AuditOutcome.rejected
    }

    fileprivate struct Count {
        var number = 0
        var last: Int64 = 0
        var request = ""
        var addresses: [String] = []
    }

    fileprivate struct State {
        var minute: Int64 = 0
        var counts: [Subject: Count] = [:]
        var ready: [AuditRow] = []
        /// The pairs of administrator and owner that were logged in `hour`.
        var told: Set<Told> = []
        var hour: Int64 = 0
    }

    fileprivate struct Told: Hashable {
        let administrator: Int64
        let owner: UserID
    }

    private let state = Locked(State())

    /// The maximum number of subjects per minute and action. Further subjects are counted together. The limit is per
    /// action, so that a flood of one action does not hide another action.
    private static let subjects = 256
    /// The maximum number of client addresses in an entry.
    private static let addresses = 8
    /// The maximum number of pending entries while the store accepts no writes.
    fileprivate static let waiting = 4_096
    /// The target of the entry for all subjects beyond the maximum number.
    static let others = "(others)"

    /// Counts an event.
    func note(_ subject: Subject, address: String, request: String, now: Int64 = WallClock.milliseconds) {
        state.withLock { state in
            state.advance(to: now)
            var subject = subject
            if state.counts[subject] == nil,
                state.counts.keys.count(where: { $0.action == subject.action }) >= Self.subjects
            {
                subject = Subject(action: subject.action, target: Self.others, outcome: subject.outcome)
            }
            var count = state.counts[subject] ?? Count()
            count.number += 1
            count.last = now
            count.request = request
            if !address.isEmpty, count.addresses.count < Self.addresses, !count.addresses.contains(address) {
                count.addresses.append(address)
            }
            state.counts[subject] = count
        }
    }

    /// Returns whether this is the first time in this hour that an administrator accesses an owner's private database.
    func isNew(administrator: Int64, owner: UserID, now: Int64 = WallClock.milliseconds) -> Bool {
        state.withLock { state in
            let hour = now / 3_600_000
            if state.hour != hour || state.told.count >= 100_000 {
                state.hour = hour
                state.told.removeAll()
            }
            return state.told.insert(Told(administrator: administrator, owner: owner)).inserted
        }
    }

    /// Removes and returns the entries to write.
    ///
    /// - Parameter all: Whether to include the entries of the current minute.
    func take(all: Bool, now: Int64 = WallClock.milliseconds) -> [AuditRow] {
        state.withLock { state in
            state.advance(to: now)
            if all { state.settle() }
            defer { state.ready = [] }
            return state.ready
        }
    }
}

extension AuditCounter.State {
    fileprivate mutating func advance(to now: Int64) {
        guard now / 60_000 != minute else { return }
        settle()
        minute = now / 60_000
    }

    fileprivate mutating func settle() {
        for (subject, count) in counts {
            var detail = JSONObject([("count", .integer(Int64(count.number)))])
            if count.addresses.count > 1 { detail["addresses"] = .array(count.addresses.map(JSONValue.string)) }
            ready.append(
                AuditRow(
                    at: count.last, actorKind: subject.actorKind, actor: subject.actor,
                    action: subject.action.rawValue, target: AuditText.cut(subject.target),
                    outcome: subject.outcome.rawValue, address: count.addresses.first ?? "",
                    request: count.request, detail: AuditText.detail(detail)))
        }
        counts.removeAll()
        ready.sort { $0.at < $1.at }
        if ready.count > AuditCounter.waiting { ready.removeFirst(ready.count - AuditCounter.waiting) }
    }
}

/// A pending write of audit entries. No task waits for this write.
final class AuditWrite: PendingWrite, @unchecked Sendable {
    private let rows: [AuditRow]

    init(_ rows: [AuditRow]) {
        self.rows = rows
        super.init(operations: 0, weight: max(1, rows.count / 8), isAlone: false, startsLazily: false)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        for row in rows { try transaction.store.audit.append(row) }
    }
}
