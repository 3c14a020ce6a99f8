/// The thumbnails that are being made, and who waits for each: however many ask for one, it is made once.
struct Flights {
    typealias Name = CacheIndex.Name
    typealias Waiter = CheckedContinuation<ThumbnailJob.Outcome, Never>

    struct Flight {
        let name: Name
        var waiters: [Int: Waiter] = [:]
        var task: Task<Void, Never>?
        /// Whether the original was forgotten meanwhile.
        var isForgotten = false
    }

    private var flights: [Int: Flight] = [:]
    /// The flights that may still be joined.
    private var open: [Name: Int] = [:]
    /// The flight of each waiter.
    private var tickets: [Int: Int] = [:]

    /// The flight that makes this thumbnail now.
    subscript(name: Name) -> Int? { open[name] }

    /// Adds a flight under a number of its own; the work is in `task`.
    mutating func begin(_ name: Name, number: Int, task: Task<Void, Never>) {
        flights[number] = Flight(name: name, task: task)
        open[name] = number
    }

    /// Adds a waiter under a number of its own.
    mutating func join(_ number: Int, ticket: Int, waiter: Waiter) {
        flights[number]?.waiters[ticket] = waiter
        tickets[ticket] = number
    }

    /// Takes a waiter off its flight, whose work ends if nobody is left; `nil` if it has landed.
    mutating func leave(_ ticket: Int) -> Waiter? {
        guard let number = tickets.removeValue(forKey: ticket) else { return nil }
        let waiter = flights[number]?.waiters.removeValue(forKey: ticket)
        if flights[number]?.waiters.isEmpty == true { land(number)?.task?.cancel() }
        return waiter
    }

    /// Takes a flight away; `nil` if everybody has left it.
    @discardableResult
    mutating func land(_ number: Int) -> Flight? {
        guard let flight = flights.removeValue(forKey: number) else { return nil }
        if open[flight.name] == number { open[flight.name] = nil }
        for ticket in flight.waiters.keys { tickets[ticket] = nil }
        return flight
    }

    /// Lets nobody join the flights of an original any more, and marks them.
    mutating func forget(_ key: String) {
        for (name, number) in open where name.key == key {
            flights[number]?.isForgotten = true
            open[name] = nil
        }
    }
}
