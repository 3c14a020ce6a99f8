/// The moments at which handles want to be called, soonest first.
///
/// Deadlines change with each request, so a handle stays where it is when its deadline moves away: it is looked at when
/// its old moment comes, and put back. Only a nearer deadline moves it, in O(log n); neither costs a system call.
struct TimerHeap {
    private struct Entry {
        var time: UInt64
        var handle: LoopHandle
    }

    private var entries: [Entry] = []

    /// The soonest moment, on `MonotonicClock`.
    var soonest: UInt64? {
        entries.first?.time
    }

    /// Makes sure that `handle` is looked at no later than at `time`.
    mutating func arm(_ handle: LoopHandle, at time: UInt64) {
        let index = handle.timerIndex
        if index < 0 {
            handle.timerIndex = entries.count
            entries.append(Entry(time: time, handle: handle))
            siftUp(entries.count - 1)
        } else if time < entries[index].time {
            entries[index].time = time
            siftUp(index)
        }
    }

    /// Takes out the handle whose moment came first, if it has come.
    mutating func popDue(at now: UInt64) -> LoopHandle? {
        guard let first = entries.first, first.time <= now else { return nil }
        remove(first.handle)
        return first.handle
    }

    /// Forgets `handle`.
    mutating func remove(_ handle: LoopHandle) {
        let index = handle.timerIndex
        guard index >= 0 else { return }
        handle.timerIndex = -1
        let last = entries.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        last.handle.timerIndex = index
        siftUp(index)
        siftDown(last.handle.timerIndex)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].time < entries[parent].time else { return }
            exchange(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { return }
            if child + 1 < entries.count, entries[child + 1].time < entries[child].time { child += 1 }
            guard entries[child].time < entries[index].time else { return }
            exchange(index, child)
            index = child
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        entries[one].handle.timerIndex = one
        entries[other].handle.timerIndex = other
    }
}
