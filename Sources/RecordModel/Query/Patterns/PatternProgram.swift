/// A pattern as a nondeterministic automaton that is simulated in one pass over a text (Thompson's construction).
///
/// The time is at most proportional to the length of the text times the length of the program, for every pattern.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        case scalar(Unicode.Scalar)
        /// A set, by its number in `sets`.
        case set(Int)
        case assertion(PatternAssertion)
        /// Continues at the next instruction, and at the one at this distance.
        case fork(Int)
        /// Continues at this distance.
        case jump(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []
    private(set) var sets: [ScalarSet] = []

    /// The number of instructions: the most states that a scalar of a text is compared with.
    var count: Int { instructions.count }

    /// The longest program. Counted repetitions such as `(ab){500}` repeat their part.
    static let maxCount = 1_040

    /// Compiles a pattern.
    ///
    /// - Throws: A problem without an offset, for a pattern whose program would be too long.
    /// - Complexity: Linear in the length of the pattern plus `maxCount`: each part of the pattern is compiled once, and
    ///   its instructions are copied for each repetition.
    init(_ syntax: PatternSyntax) throws(PatternProblem) {
        try append(syntax)
        try emit(.match)
    }

    private mutating func emit(_ instruction: Instruction) throws(PatternProblem) {
        try checkRoom(1)
        instructions.append(instruction)
    }

    private func checkRoom(_ count: Int) throws(PatternProblem) {
        guard instructions.count + count <= Self.maxCount else {
            throw PatternProblem(offset: 0, reason: "the pattern is too long, with its repetitions")
        }
    }

    private mutating func append(_ syntax: PatternSyntax) throws(PatternProblem) {
        switch syntax {
        case .empty: return
        case .scalar(let scalar): try emit(.scalar(scalar))
        case .set(let set):
            try emit(.set(sets.count))
            sets.append(set)
        case .assertion(let assertion): try emit(.assertion(assertion))
        case .sequence(let parts): for part in parts { try append(part) }
        case .choice(let parts):
            var ends: [Int] = []
            for part in parts.dropLast() {
                let fork = instructions.count
                try emit(.fork(0))
                try append(part)
                ends.append(instructions.count)
                try emit(.jump(0))
                instructions[fork] = .fork(instructions.count - fork)
            }
            if let last = parts.last { try append(last) }
            for end in ends { instructions[end] = .jump(instructions.count - end) }
        case .repeated(let part, let least, let most): try append(part, least: least, most: most)
        }
    }

    private mutating func append(_ part: PatternSyntax, least: Int, most: Int?) throws(PatternProblem) {
        if most == 0 { return }
        let start = instructions.count
        try append(part)
        let block = Array(instructions[start...])
        // Any number of empty texts is the empty text. Without this, nested counts would repeat nothing for hours.
        if block.isEmpty { return }
        instructions.removeSubrange(start...)
        let (length, optional) = (block.count, most.map { $0 - least })
        let loopLength = least == 0 ? length + 2 : 1
        try checkRoom(least * length + (optional.map { $0 * (length + 1) } ?? loopLength))
        // Distances are relative, so that copies need no changes.
        for _ in 0..<least { instructions += block }
        guard let optional else {
            if least > 0 { return instructions.append(.fork(-length)) }
            instructions.append(.fork(length + 2))
            instructions += block
            instructions.append(.jump(-length - 1))
            return
        }
        for left in stride(from: optional, to: 0, by: -1) {
            instructions.append(.fork(left * (length + 1)))
            instructions += block
        }
    }
}
