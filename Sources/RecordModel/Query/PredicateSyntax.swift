/// A condition in text, parsed and not bound: it knows neither the type's fields nor the values of its placeholders.
///
/// The grammar, with keywords in any case. What is marked † is understood and refused: it is not available in this
/// version.
///
///     query      = [ predicate ]                                  empty: all records
///     predicate  = conj { ("OR" | "||") conj }
///     conj       = unary { ("AND" | "&&") unary }
///     unary      = { "NOT" | "!" } primary
///     primary    = "(" predicate ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | tokens† | distance† | compare
///     compare    = [ quant ] operand ( relop operand | "IS" [ "NOT" ] "NULL"
///                | [ "NOT" ] ( ("IN" | "BETWEEN") ( operand | sqlList )
///                | ("BEGINSWITH" | "CONTAINS" | "ENDSWITH"† | "LIKE"† | "MATCHES"†) [ mods† ] operand ) )
///     quant      = "ANY" | "SOME" | "NONE" | "ALL"†
///     relop      = "=" | "==" | "!=" | "<>" | "<" | "<=" | "=<" | ">" | ">=" | "=>"
///     mods       = "[" { "c" | "d" | "l" | "n" } "]"
///     tokens     = "SELF" "CONTAINS" operand
///     distance   = ("distanceToLocation:fromLocation:" | "distance") "(" … ")" relop operand
///     operand    = key | literal | param | "now" "(" ")" | list
///     key        = [ "#" ] name | "%K"                            names: `Identifier`; paths with dots†
///     literal    = string | number | "TRUE" | "YES" | "FALSE" | "NO" | "NULL" | "NIL" | date | reference | location†
///     list       = "{" [ item { "," item } ] "}"                  an item is a literal, a parameter or now()
///     sqlList    = "(" [ item { "," item } ] ")" | "[" [ item { "," item } ] "]"
///     date       = "date" "(" string ")" | "CAST" "(" number "," '"NSDate"' ")"
///     reference  = "ref" "(" string [ "," string ] ")"
///     location   = "loc" "(" number "," number ")"
///     param      = "%@" | "%d" | "%i" | "%u" | "%ld" | "%lu" | "%lld" | "%llu" | "%f" | "%x" | "$" name
///
/// A placeholder is a value wherever it stands: no argument changes the structure.
package struct PredicateSyntax: Hashable, Sendable {
    let root: Node
    /// How many placeholders take an argument from the list.
    let placeholders: Int
    /// How many tests there are.
    package let conditions: Int

    indirect enum Node: Hashable, Sendable {
        case constant(Bool)
        case comparison(Comparison)
        case and([Node])
        case or([Node])
        case not(Node)
    }

    struct Comparison: Hashable, Sendable {
        var quantifier: Quantifier?
        var left: Operand
        var operation: Operation
        /// Where the operator stands.
        var offset: Int
        var right: Operand
    }

    enum Quantifier: Hashable, Sendable {
        case any, none
    }

    enum Operation: Hashable, Sendable {
        case relation(Relation)
        case isIn, isBetween, contains, beginsWith
    }

    enum Relation: String, Hashable, Sendable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        /// The relation with its sides exchanged.
        var turned: Relation {
            switch self {
            case .equal, .unequal: self
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            }
        }
    }

    struct Operand: Hashable, Sendable {
        var form: Form
        var offset: Int

        indirect enum Form: Hashable, Sendable {
            case key(String)
            /// `%K`, and the position of its argument.
            case keyArgument(Int)
            case literal(QueryArgument)
            /// A placeholder, and the position of its argument.
            case argument(Int)
            /// `$name`
            case variable(String)
            case now
            case list([Operand])
        }
    }

    /// Parses a text. Time and memory grow with its length, and recursion is bounded by `Limits.conditionDepth`.
    ///
    /// - Throws: `BAD_REQUEST` with `offset` (UTF-8 bytes), `found` and `expected`; cause `TOO_LARGE` over a bound.
    package static func parse(_ text: String) throws(RecordError) -> PredicateSyntax {
        guard text.utf8.count <= Limits.conditionBytes else {
            throw .conditionTooLarge(
                "The text of the condition is too long", limit: Limits.conditionBytes, at: PredicatePlace(offset: 0))
        }
        var parser = PredicateParser(Array(text.utf8))
        return try parser.parse()
    }
}
