extension PatternProgram {
    /// Returns whether the pattern matches the whole of a text in UTF-8.
    ///
    /// - Parameter charge: Takes the number of steps since the last call, about every 4,096 steps and at the end. A step
    ///   takes a few nanoseconds. If the function throws, the match ends.
    /// - Throws: The errors of `charge`.
    func matches<Failure: Error>(
        _ text: [UInt8], _ charge: (_ steps: Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var run = PatternRun(self)
        var scalars = String(decoding: text, as: UTF8.self).unicodeScalars.makeIterator()
        var ahead = scalars.next()
        run.start(at: ahead)
        while let scalar = ahead, !run.isEmpty {
            ahead = scalars.next()
            run.take(scalar, before: ahead)
            if run.steps >= Self.stepsPerCharge { try charge(run.takeSteps()) }
        }
        try charge(run.takeSteps())
        // Without states, the run ended before the text.
        return run.isMatch
    }

    private static var stepsPerCharge: Int { 4_096 }
}

/// The states of a pattern's automaton at a position of a text.
private struct PatternRun {
    private let instructions: [PatternProgram.Instruction]
    private let sets: [ScalarSet]
    /// The states that wait for a scalar, or match.
    private var states: [Int] = []
    private var next: [Int] = []
    /// For each state, the number of the position at which it was last reached.
    private var reached: [UInt32]
    private var position: UInt32 = 1
    /// For each set, the number of the position for which `isInSet` was found.
    private var tested: [UInt32]
    private var isInSet: [Bool]
    private var open: [Int] = []
    /// The scalars around the position whose states are being added.
    private var before: Unicode.Scalar?
    private var behind: Unicode.Scalar?
    /// Whether a word starts or ends there; `nil` if no state has asked yet.
    private var isBoundary: Bool?
    private(set) var steps: Int

    init(_ program: PatternProgram) {
        instructions = program.instructions
        sets = program.sets
        reached = Array(repeating: 0, count: instructions.count)
        tested = Array(repeating: 0, count: sets.count)
        isInSet = Array(repeating: false, count: sets.count)
        steps = 16 + instructions.count / 8
    }

    var isEmpty: Bool { states.isEmpty }

    var isMatch: Bool {
        states.contains { if case .match = instructions[$0] { true } else { false } }
    }

    mutating func takeSteps() -> Int {
        defer { steps = 0 }
        return steps
    }

    mutating func start(at first: Unicode.Scalar?) {
        behind = first
        add(0)
        swap(&states, &next)
    }

    /// Moves past a scalar.
    ///
    /// - Parameter ahead: The scalar behind it; `nil` at the end of the text.
    mutating func take(_ scalar: Unicode.Scalar, before ahead: Unicode.Scalar?) {
        position += 1
        (before, behind, isBoundary) = (scalar, ahead, nil)
        var probe = ScalarProbe(scalar)
        next.removeAll(keepingCapacity: true)
        steps += states.count
        for state in states {
            switch instructions[state] {
            case .scalar(let wanted): if wanted == scalar { add(state + 1) }
            case .set(let number): if isIn(number, &probe) { add(state + 1) }
            case .assertion, .fork, .jump, .match: break
            }
        }
        swap(&states, &next)
    }

    /// Returns whether the scalar is in a set. Copies of a set have one number, and are tested once for each scalar.
    private mutating func isIn(_ number: Int, _ probe: inout ScalarProbe) -> Bool {
        if tested[number] == position { return isInSet[number] }
        tested[number] = position
        steps += sets[number].steps
        isInSet[number] = sets[number].contains(&probe)
        return isInSet[number]
    }

    /// Adds a state and all states that can be reached from it without a scalar.
    private mutating func add(_ state: Int) {
        var state = state
        while true {
            steps += 1
            if reached[state] != position {
                reached[state] = position
                switch instructions[state] {
                case .scalar, .set, .match: next.append(state)
                case .fork(let distance):
                    open.append(state + distance)
                    state += 1
                    continue
                case .jump(let distance):
                    state += distance
                    continue
                case .assertion(let assertion):
                    if holds(assertion) {
                        state += 1
                        continue
                    }
                }
            }
            guard let other = open.popLast() else { return }
            state = other
        }
    }

    private mutating func holds(_ assertion: PatternAssertion) -> Bool {
        switch assertion {
        case .start: before == nil
        case .end: behind == nil
        case .wordBoundary: isAtBoundary()
        case .noWordBoundary: !isAtBoundary()
        }
    }

    private mutating func isAtBoundary() -> Bool {
        if let isBoundary { return isBoundary }
        let (isBefore, isBehind) = (Self.isWord(before), Self.isWord(behind))
        isBoundary = isBefore != isBehind
        return isBefore != isBehind
    }

    private static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { ScalarClasses(of: $0).contains(.word) } ?? false
    }
}
