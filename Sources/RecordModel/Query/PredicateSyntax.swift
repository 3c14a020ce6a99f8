internal import TextSearch
internal import UnicodeText

/// A parsed predicate, before its names are bound to fields and its placeholders to values.
///
/// The grammar follows. Keywords may have any case. Constructs marked † are recognized and rejected, because this
/// version lacks them.
///
/// ```
/// query      = [ predicate ]                                  empty: all records
/// predicate  = conj { ("OR" | "||") conj }
/// conj       = unary { ("AND" | "&&") unary }
/// unary      = { "NOT" | "!" } primary
/// primary    = "(" predicate ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | tokens | compare
/// compare    = [ quant ] operand ( relop [ mods ] operand | "IS" [ "NOT" ] "NULL"
///            | [ "NOT" ] ( ("IN" | "BETWEEN") [ mods ] ( operand | sqlList )
///                        | ("BEGINSWITH" | "CONTAINS" | "ENDSWITH" | "LIKE" | "MATCHES") [ mods ] operand ) )
/// quant      = "ANY" | "SOME" | "NONE" | "ALL"
/// relop      = "=" | "==" | "!=" | "<>" | "<" | "<=" | "=<" | ">" | ">=" | "=>"
/// mods       = "[" { "c" | "d" | "n" } "]"                     "n": exact
/// tokens     = "SELF" "CONTAINS" [ mods ] operand
///            | ( "SELF" | key ) ( "CONTAINS_ANY_TOKENS" | "CONTAINS_ALL_TOKENS" | "TOKENMATCHES" ) [ mods ] operand
/// operand    = key [ "." name ] [ ".@count" ] | value [ length ] | list | distance | region
///                                                             a dot leads to the record of a reference
/// distance   = ("distanceToLocation:fromLocation:" | "distance") "(" key "," place ")"     in any order
/// place      = location | param
/// length     = "m" | "km" | "mi"                              in comparisons with distances, and behind a radius
/// region     = "circle" "(" place "," value [ length ] ")" | "polygon" "(" ( list | param ) ")"
///            | "box" "(" value "," value "," value "," value ")"     south, west, north, east
/// value      = term { ("+" | "-") ( term | integer unit ) }   numbers, and durations for times
/// term       = factor { ("*" | "/") factor }
/// factor     = literal | param | now | "(" value ")"
/// key        = [ "#" ] name | "%K"                            names: `Identifier`
/// literal    = string | number | "TRUE" | "YES" | "FALSE" | "NO" | "NULL" | "NIL" | date | reference | location
/// list       = "{" [ item { "," item } ] "}"                  an item is a value
/// now        = "now" "(" ")"
/// unit       = ("second" | "minute" | "hour" | "day" | "week") [ "s" ]
/// sqlList    = "(" [ item { "," item } ] ")" | "[" [ item { "," item } ] "]"
/// date       = "date" "(" string ")" | "CAST" "(" number "," '"NSDate"' ")"
/// reference  = "ref" "(" string [ "," string ] ")"
/// location   = "loc" "(" number "," number ")"
/// param      = "%@" | "%d" | "%i" | "%u" | "%ld" | "%lu" | "%lld" | "%llu" | "%f" | "%x" | "$" name
/// ```
///
/// A placeholder is always a value, so an argument cannot change the structure of the predicate.
package struct PredicateSyntax: Hashable, Sendable {
    let root: Node
    /// The number of placeholders. Placeholders take their values from the list of arguments.
    let placeholders: Int
    /// The number of conditions in the predicate.
    package let conditions: Int

    indirect enum Node: Hashable, Sendable {
        case constant(Bool)
        case comparison(Comparison)
        case and([Node])
        /// The offset is that of the first OR, in UTF-8 bytes.
        case or([Node], offset: Int)
        /// The offset is that of the first NOT, in UTF-8 bytes.
        case not(Node, offset: Int)
    }

    struct Comparison: Hashable, Sendable {
        var quantifier: Quantifier?
        var left: Operand
        var operation: Operation
        /// The differences between texts that the comparison ignores.
        var folding: TextFolding = []
        /// The offset of the operator in the text, in UTF-8 bytes.
        var offset: Int
        var right: Operand
    }

    enum Quantifier: Hashable, Sendable {
        case any, none, all
    }

    enum Operation: Hashable, Sendable {
        case relation(Relation)
        case isIn, isBetween, contains, beginsWith, endsWith, like, matches
        /// A search for words, of which a record must have any or all.
        case containsTokens(SearchText.Mode)

        /// Whether a list is expected behind the operator.
        var takesList: Bool { self == .isIn || self == .isBetween }
    }

    /// An operation on two numbers, or on a time and a duration.
    enum Arithmetic: String, Hashable, Sendable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case dividedBy = "/"
    }

    enum Relation: String, Hashable, Sendable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        /// The relation with its two sides exchanged: `<` becomes `>`.
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
            /// All searchable texts of the record: `SELF`.
            case record
            /// A `%K` placeholder for a field name. The associated value is the position of its argument.
            case keyArgument(Int)
            /// A field of the record to which a reference leads: the key before the dot, the name after it, and the
            /// offset of the name.
            case path(Form, String, offset: Int)
            /// The number of members of a list: the key before `.@count`.
            case count(Form)
            case literal(QueryArgument)
            /// A placeholder for a value. The associated value is the position of its argument.
            case argument(Int)
            /// A variable for a value, written `$name`.
            case variable(String)
            /// The time of the query.
            case now
            /// A number of milliseconds.
            case duration(Int64)
            case list([Operand])
            /// The distance between a field and a location.
            case distance(Form, Operand)
            /// A region, described by the arguments of its function.
            case region(RegionKind, [Operand])
            case arithmetic(Arithmetic, Operand, Operand)
        }
    }

    /// Parses a predicate. Time and memory are linear in the length of the text, and `Limits.conditionDepth` limits the
    /// recursion.
    ///
    /// - Throws: `BAD_REQUEST` with the details `offset` (UTF-8 bytes), `found` and `expected`; the cause is
    ///   `TOO_LARGE` for an exceeded limit.
    package static func parse(_ text: String) throws(RecordError) -> PredicateSyntax {
        guard text.utf8.count <= Limits.conditionBytes else {
            throw .conditionTooLarge(
                "The text of the condition is too long", limit: Limits.conditionBytes, at: PredicateLocation(offset: 0))
        }
        var parser = PredicateParser(Array(text.utf8))
        return try parser.parse()
    }
}
