/// A pattern as a nondeterministic automaton that is simulated in one pass over a text (Thompson's construction).
///
/// The time is at most proportional to the length of the text times the length of the program, for every pattern.
struct PatternProgram: Hashable, Sendable {
    private enum Instruction: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case set(ScalarSet)
        case assertion(PatternAssertion)
        /// Continues at both places.
        case fork(Int, Int)
        case jump(Int)
        case match
    }

    private var instructions: [Instruction] = []

    /// The number of instructions: the most steps for one scalar of a text.
    var count: Int { instructions.count }

    /// The longest program. Counted repetitions such as `(ab){500}` repeat their part.
    static let maxCount = 1_000

    /// - Throws: A problem without an offset, for a pattern whose program would be too long.
    init(_ syntax: PatternSyntax) throws(PatternProblem) {
        try append(syntax)
        instructions.append(.match)
    }

    private mutating func append(_ syntax: PatternSyntax) throws(PatternProblem) {
        guard instructions.count < Self.maxCount else {
            throw PatternProblem(offset: 0, reason: "the pattern is too long, with its repetitions")
        }
        switch syntax {
        case .empty: return
        case .scalar(let scalar): instructions.append(.scalar(scalar))
        case .set(let set): instructions.append(.set(set))
        case .assertion(let assertion): instructions.append(.assertion(assertion))
        case .sequence(let parts): for part in parts { try append(part) }
        case .choice(let parts):
            var ends: [Int] = []
            for part in parts.dropLast() {
                let fork = instructions.count
                instructions.append(.fork(fork + 1, 0))
                try append(part)
                ends.append(instructions.count)
                instructions.append(.jump(0))
                instructions[fork] = .fork(fork + 1, instructions.count)
            }
            if let last = parts.last { try append(last) }
            for end in ends { instructions[end] = .jump(instructions.count) }
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try append(part) }
            guard let most else { return try appendLoop(part) }
            var forks: [Int] = []
            for _ in least..<max(least, most) {
                forks.append(instructions.count)
                instructions.append(.fork(instructions.count + 1, 0))
                try append(part)
            }
            for fork in forks { instructions[fork] = .fork(fork + 1, instructions.count) }
        }
    }

    private mutating func appendLoop(_ part: PatternSyntax) throws(PatternProblem) {
        let fork = instructions.count
        instructions.append(.fork(fork + 1, 0))
        try append(part)
        instructions.append(.jump(fork))
        instructions[fork] = .fork(fork + 1, instructions.count)
    }

    /// Returns whether the pattern matches the whole of a text in UTF-8.
    func matches(_ text: [UInt8]) -> Bool {
        let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
        var current = States(count)
        var next = States(count)
        add(0, to: &current, at: 0, of: scalars)
        for (position, scalar) in scalars.enumerated() {
            if current.isEmpty { return false }
            next.removeAll()
            for state in current.all {
                let isTaken =
                    switch instructions[state] {
                    case .scalar(let wanted): wanted == scalar
                    case .set(let set): set.contains(scalar)
                    case .assertion, .fork, .jump, .match: false
                    }
                if isTaken { add(state + 1, to: &next, at: position + 1, of: scalars) }
            }
            swap(&current, &next)
        }
        return current.all.contains { instructions[$0] == .match }
    }

    /// Adds a state and all states that can be reached from it without a scalar.
    private func add(_ state: Int, to states: inout States, at position: Int, of scalars: [Unicode.Scalar]) {
        var open = [state]
        while let state = open.popLast() {
            guard states.insert(state) else { continue }
            switch instructions[state] {
            case .fork(let one, let other): open += [other, one]
            case .jump(let target): open.append(target)
            case .assertion(let assertion):
                if assertion.holds(at: position, of: scalars) { open.append(state + 1) }
            case .scalar, .set, .match: continue
            }
        }
    }

    /// A set of states that is emptied in constant time.
    private struct States {
        private(set) var all: [Int] = []
        private var rounds: [UInt32]
        private var round: UInt32 = 1

        init(_ count: Int) {
            rounds = Array(repeating: 0, count: count)
            all.reserveCapacity(min(count, 64))
        }

        var isEmpty: Bool { all.isEmpty }

        /// Returns whether the state was not in the set.
        mutating func insert(_ state: Int) -> Bool {
            if rounds[state] == round { return false }
            rounds[state] = round
            all.append(state)
            return true
        }

        mutating func removeAll() {
            all.removeAll(keepingCapacity: true)
            round += 1
        }
    }
}

extension PatternAssertion {
    func holds(at position: Int, of scalars: [Unicode.Scalar]) -> Bool {
        switch self {
        case .start: return position == 0
        case .end: return position == scalars.count
        case .wordBoundary, .noWordBoundary:
            let isBefore = position > 0 && ScalarSet.Class.isWord(scalars[position - 1])
            let isBehind = position < scalars.count && ScalarSet.Class.isWord(scalars[position])
            return (isBefore != isBehind) == (self == .wordBoundary)
        }
    }
}
