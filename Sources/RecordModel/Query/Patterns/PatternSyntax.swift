/// A parsed pattern of MATCHES or LIKE.
indirect enum PatternSyntax: Hashable, Sendable {
    case empty
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternSyntax])
    case choice([PatternSyntax])
    /// A part that occurs at least `least` and at most `most` times; `nil` for no maximum.
    case repeated(PatternSyntax, least: Int, most: Int?)

    /// The scalars with which each match starts.
    var prefix: [Unicode.Scalar] {
        literal.scalars
    }

    /// The scalars with which each match starts, and whether the pattern matches only these scalars.
    private var literal: (scalars: [Unicode.Scalar], isWhole: Bool) {
        switch self {
        case .empty, .assertion: return ([], true)
        case .scalar(let scalar): return ([scalar], true)
        case .sequence(let parts):
            var scalars: [Unicode.Scalar] = []
            for part in parts {
                let (more, isWhole) = part.literal
                scalars += more
                if !isWhole { return (scalars, false) }
            }
            return (scalars, true)
        case .repeated(let part, let least, let most):
            guard least > 0 else { return ([], false) }
            let (scalars, isWhole) = part.literal
            return (scalars, isWhole && most == 1)
        case .set, .choice: return ([], false)
        }
    }
}

/// A condition on a position in a text.
enum PatternAssertion: Hashable, Sendable {
    case start, end, wordBoundary, noWordBoundary
}
