import CLinux

/// Events of peers that have gone, which wait behind those of peers that want something.
///
/// epoll hands out events in the order in which they came. When twelve thousand connections end at once, such as those of a
/// proxy that is started anew, a request that comes a moment later waits until all of them are closed: 60 to 90 ms. Nobody
/// waits for a close, so a loop takes a few of them in each turn, more when little else came, and at least as many as have
/// come to it since: else a flood of connections that are reset at once would keep ever more of them open.
struct HangUpQueue {
    private var events: [fogbase_event] = []
    private var first = 0

    /// What a turn takes besides, about a millisecond's worth; a turn that looked at as many events as it can takes fewer.
    private static let perTurn = 48
    private static let perFullTurn = 16
    /// How many handles have come to the loop since its last turn.
    private var arrivals = 0

    /// Notes a handle that is to be watched.
    mutating func noteArrival() {
        arrivals += 1
    }

    /// How many to take now.
    mutating func takeShare(isFull: Bool) -> Int {
        defer { arrivals = 0 }
        return arrivals + (isFull ? Self.perFullTurn : Self.perTurn)
    }

    /// Whether an event says that the peer sends no more, or has gone altogether.
    static func isMeant(for events: UInt32) -> Bool {
        events & UInt32(FOGBASE_READ_HUNG_UP | FOGBASE_HUNG_UP | FOGBASE_ERROR) != 0
    }

    var isEmpty: Bool { first == events.count }

    mutating func append(_ event: fogbase_event) {
        events.append(event)
    }

    /// The event that waits for the longest.
    mutating func popFirst() -> fogbase_event? {
        guard first < events.count else { return nil }
        defer {
            first += 1
            if first == events.count {
                events.removeAll(keepingCapacity: events.count <= 1_024)
                first = 0
            } else if first > 1_024, first > events.count / 2 {
                // A backlog that lasts does not grow for ever.
                events.removeFirst(first)
                first = 0
            }
        }
        return events[first]
    }
}
