internal import Containers

/// The armed timers of a loop's handles, soonest first.
///
/// A deadline moves with each request. If a deadline moves later, the entry stays unchanged; when the entry fires, the
/// handle checks its deadline and arms the timer again. If a deadline moves earlier, the handle gets a new entry, and
/// the old entry becomes stale. The loop skips stale entries, and removes all of them when they outnumber the armed
/// entries.
struct TimerQueue {
    private struct Entry {
        let time: UInt64
        let handle: LoopHandle

        var isStale: Bool { handle.armedTime != time }

        static func isSooner(_ one: Entry, _ other: Entry) -> Bool { one.time < other.time }
    }

    private var entries = Heap<Entry>()
    /// The number of armed handles.
    private var count = 0
    /// The number of stale entries that never cause a removal.
    private static let fewEntries = 64

    /// The time of the first entry in nanoseconds on `MonotonicClock`. The entry may be stale.
    var soonest: UInt64? {
        entries.min?.time
    }

    /// Arms `handle` to be called no later than at `time`.
    mutating func arm(_ handle: LoopHandle, at time: UInt64) {
        guard time < handle.armedTime else { return }
        if handle.armedTime == .max { count += 1 }
        handle.armedTime = time
        entries.insert(Entry(time: time, handle: handle), by: Entry.isSooner)
        removeStale()
    }

    /// Removes and returns the first handle whose time has passed; `nil` if there is none.
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

    /// Disarms `handle`.
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
