/// The thumbnails that are being made, with the waiting callers of each. Concurrent requests for the same thumbnail
/// share one flight.
struct SingleFlight {
    typealias Name = CacheIndex.Name
    typealias Waiter = CheckedContinuation<ThumbnailJob.Outcome, Never>

    struct Flight {
        let name: Name
        var waiters: [Int: Waiter] = [:]
        var task: Task<Void, Never>?
        /// Whether `forget` was called for the original after the flight started.
        var isForgotten = false
    }

    private var flights: [Int: Flight] = [:]
    /// The numbers of the flights that callers can still join.
    private var open: [Name: Int] = [:]
    /// The flight number of each waiter. The keys are the tickets of the waiters.
    private var tickets: [Int: Int] = [:]

    /// The number of the flight that makes a thumbnail; `nil` if callers can join none.
    subscript(name: Name) -> Int? { open[name] }

    /// Adds a flight for a thumbnail.
    ///
    /// - Parameters:
    ///   - number: A number that no other flight has.
    ///   - task: The task that makes the thumbnail.
    mutating func begin(_ name: Name, number: Int, task: Task<Void, Never>) {
        flights[number] = Flight(name: name, task: task)
        open[name] = number
    }

    /// Adds a waiter to a flight.
    ///
    /// - Parameter ticket: A number that no other waiter has.
    mutating func join(_ number: Int, ticket: Int, waiter: Waiter) {
        flights[number]?.waiters[ticket] = waiter
        tickets[ticket] = number
    }

    /// Removes a waiter from its flight and returns the waiter; `nil` if the flight has already ended. If no waiter is
    /// left, the flight is canceled.
    mutating func leave(_ ticket: Int) -> Waiter? {
        guard let number = tickets.removeValue(forKey: ticket) else { return nil }
        let waiter = flights[number]?.waiters.removeValue(forKey: ticket)
        if flights[number]?.waiters.isEmpty == true { land(number)?.task?.cancel() }
        return waiter
    }

    /// Removes a flight and returns it; `nil` if the flight was removed before, because all waiters had left.
    @discardableResult
    mutating func land(_ number: Int) -> Flight? {
        guard let flight = flights.removeValue(forKey: number) else { return nil }
        if open[flight.name] == number { open[flight.name] = nil }
        for ticket in flight.waiters.keys { tickets[ticket] = nil }
        return flight
    }

    /// Marks the flights of an original as forgotten, so that no further callers can join them.
    mutating func forget(_ key: String) {
        for (name, number) in open where name.key == key {
            flights[number]?.isForgotten = true
            open[name] = nil
        }
    }
}
