internal import Containers

/// The moments at which handles want to be called, soonest first.
///
/// Deadlines change with each request, so a handle stays where it is when its deadline moves away: it is looked at when
/// its old moment comes, and put back. A nearer deadline gets an entry of its own, and the old one is stale then. Stale
/// entries are passed over, and removed together once they are the most.
struct TimerQueue {
    private struct Entry {
        let time: UInt64
        let handle: LoopHandle

        var isStale: Bool { handle.armedTime != time }

        static func isSooner(_ one: Entry, _ other: Entry) -> Bool { one.time < other.time }
    }

    private var entries = Heap<Entry>()
    /// How many handles are armed.
    private var count = 0
    /// Below so many stale entries nothing is removed.
    private static let fewEntries = 64

    /// The soonest moment, on `MonotonicClock`; nobody may want to be called then any more.
    var soonest: UInt64? {
        entries.min?.time
    }

    /// Makes sure that `handle` is looked at no later than at `time`.
    mutating func arm(_ handle: LoopHandle, at time: UInt64) {
        guard time < handle.armedTime else { return }
        if handle.armedTime == .max { count += 1 }
        handle.armedTime = time
        entries.insert(Entry(time: time, handle: handle), by: Entry.isSooner)
        removeStale()
    }

    /// Takes out the handle whose moment came first, if it has come.
    mutating func popDue(at now: UInt64) -> LoopHandle? {
        while let first = entries.min, first.time <= now {
            _ = entries.popMin(by: Entry.isSooner)
            guard !first.isStale else { continue }
            first.handle.armedTime = .max
            count -= 1
            return first.handle
        }
        return nil
    }

    /// Forgets `handle`.
    mutating func remove(_ handle: LoopHandle) {
        guard handle.armedTime < .max else { return }
        handle.armedTime = .max
        count -= 1
        removeStale()
    }

    private mutating func removeStale() {
        guard entries.count > 2 * count + Self.fewEntries else { return }
        entries.removeAll(where: \.isStale, by: Entry.isSooner)
    }
}
