/// The order in which the records of a batch are written.
enum WriteOrder {
    /// Returns records in an order in which the targets of references with the action VALIDATE come first, as far as
    /// the batch has them. Records without such references stay in order. Where references form a cycle, one of its
    /// records comes before its target.
    ///
    /// - Complexity: O(n) in the number of records and references.
    static func sorted(_ records: [CarriedRecord]) -> [CarriedRecord] {
        guard records.contains(where: { !$0.validated.isEmpty }) else { return records }
        var positions: [String: Int] = [:]
        for (index, record) in records.enumerated() { positions[record.name] = index }
        var isPlaced = [Bool](repeating: false, count: records.count)
        var order: [CarriedRecord] = []
        for start in records.indices where !isPlaced[start] {
            // Depth first, with a stack instead of recursion: a chain of references may be as long as the batch.
            var stack = [(index: start, next: 0)]
            isPlaced[start] = true
            while let top = stack.last {
                let targets = records[top.index].validated
                guard top.next < targets.count else {
                    order.append(records[top.index])
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                if let target = positions[targets[top.next]], !isPlaced[target] {
                    isPlaced[target] = true
                    stack.append((target, 0))
                }
            }
        }
        return order
    }
}
