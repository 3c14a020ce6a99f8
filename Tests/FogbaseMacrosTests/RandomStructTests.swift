internal import SwiftParser
internal import SwiftSyntax
internal import Testing

/// Structs put together at random from members whose fields are known.
@Suite struct RandomStructTests {
    @Test(arguments: 0..<60) func `a struct of any members has the fields of those members`(seed: UInt64) {
        var random = SplitMix(state: seed)
        var members: [String] = []
        var cases: [String] = []
        for index in 0..<Int.random(in: 1...12, using: &random) {
            let (member, fields) = Self.member("p\(index)", using: &random)
            members.append(member)
            cases += fields
        }
        let expansion = Expansion("@RecordCodable struct Post {\n\(members.joined(separator: "\n"))\nlet last: Int }")
        #expect(expansion.diagnostics == [], "\(members)")
        #expect(expansion.cases == cases + ["last"], "\(members)")
        #expect(!Parser.parse(source: expansion.extensions).hasError, "\(expansion.extensions)")
        for part in cases + ["last"] {
            let field = part.split(separator: "\"").last.map(String.init) ?? part
            #expect(expansion.extensions.contains("for: \"\(field)\""), "\(members)")
        }
    }

    /// A member with `name` in it, and the cases of its fields.
    private static func member(_ name: String, using random: inout SplitMix) -> (String, [String]) {
        let types = ["Int", "String", "[String]", "Data?", "Optional<Date>", "Asset", "Outer.Kind", "[[Int]]"]
        let defaults = [
            "1", "\"}\"", "\"\\(1 + { 2 }())\"", "[{ 1 }()]", "#\"\"\"#", ".init(a: 1, b: [1, 2])",
            "\"\"\"\n{ var no: Int\n\"\"\"",
            "{ struct No { var no: Int }; return No().no }()",
        ]
        let comments = [
            "", "/// var no: Int\n", "// }\n", "/* { /* } */ */ ", "@available(*, deprecated) ", "private ",
        ]
        let type = types.randomElement(using: &random) ?? "Int"
        let initial = defaults.randomElement(using: &random) ?? "1"
        let before = comments.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return ("\(before)var \(name): \(type)", [name])
        case 1: return ("\(before)let \(name): \(type)", [name])
        case 2: return ("\(before)var \(name): \(type) = \(initial)", [name])
        case 3: return ("\(before)var \(name) = \(initial)", [name])
        case 4: return ("\(before)var \(name) = \(initial) { didSet { var no = 1 } }", [name])
        case 5:
            return (
                "\(before)var \(name)a, \(name)b: \(type), \(name)c = \(initial)", ["a", "b", "c"].map { name + $0 }
            )
        case 6: return ("@Field(\"f_\(name)\") \(before)var `\(name)`: \(type)", ["`\(name)` = \"f_\(name)\""])
        case 7: return ("\(before)var \(name): \(type) { \(initial) }", [])
        case 8: return ("\(before)let \(name) = \(initial)", [])
        case 9: return ("\(before)static var \(name) = \(initial)", [])
        case 10: return ("@Transient \(before)var \(name): \(type) = \(initial)", [])
        default: return ("\(before)func \(name)() { var no: \(type) = \(initial); _ = no }", [])
        }
    }
}

/// A small random number generator that gives the same numbers for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
