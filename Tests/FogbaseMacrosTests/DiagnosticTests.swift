internal import Testing

/// The diagnostics of the macros: message, line, column and fix-its.
@Suite struct DiagnosticTests {
    @Test(
        arguments: [
            (
                "@RecordCodable class Post { var title = 1 }",
                "1:16 error: @RecordCodable goes on a struct, for a record is a value: make this class a struct"
            ),
            (
                "@RecordDecodable public enum Post { case title }",
                "1:25 error: @RecordDecodable goes on a struct, for a record is a value: make this enum a struct"
            ),
            (
                "@RecordEncodable actor Post { var title = 1 }",
                "1:18 error: @RecordEncodable goes on a struct, for a record is a value: make this actor a struct"
            ),
            (
                "struct Blog {\n    @RecordCodable private struct Post { var title: String }\n}",
                "2:20 error: Generated code stands outside the type around 'Post' and cannot see it: make it "
                    + "fileprivate\n  fix: Write 'fileprivate'"
            ),
            (
                "enum Blog { private enum Part { @RecordCodable struct Post { var title: String } } }",
                "1:55 error: Generated code stands outside the type around 'Part' and cannot see it: make it fileprivate"
            ),
            (
                "let name = \"Post\"\n@RecordCodable(name) struct Post { var title: String }",
                "2:16 error: @RecordCodable takes the record type's name as a string literal, as in "
                    + "@RecordCodable(\"Post\")"
            ),
            (
                "@RecordCodable(\"P\\(1)\") struct Post { var title: String }",
                "1:16 error: @RecordCodable takes the record type's name as a string literal, as in "
                    + "@RecordCodable(\"Post\")"
            ),
            (
                "@RecordCodable(\"my posts\") struct Post { var title: String }",
                "1:16 error: \"my posts\" is no record type: a letter comes first, then letters, digits and "
                    + "underscores, 255 bytes at most"
            ),
            (
                "@RecordCodable struct 🦊 { var title: String }",
                "1:23 error: '🦊' is no record type: give one with @RecordCodable(\"name\"); a letter comes first, "
                    + "then letters, digits and underscores, 255 bytes at most"
            ),
            (
                "@RecordCodable struct Post { let title = 1; var short: Int { 2 } }",
                "1:23 error: 'Post' has no property that could be a field: give it a stored property"
            ),
        ])
    func `a struct that cannot be a model is rejected`(source: String, diagnostic: String) {
        let expansion = Expansion(source)
        #expect(expansion.diagnostics == [diagnostic])
        #expect(expansion.extensions == "")
    }

    @Test(
        arguments: [
            (
                "var (a, b) = (1, 2)",
                "2:5 error: A field needs a name of its own: declare each of these properties separately"
            ),
            ("var a", "2:5 error: 'a' has neither a type nor a default: write one, as in 'var a: String'"),
            (
                "var a: [String: Int]",
                "2:8 error: No field holds a dictionary: give 'a' another type, or mark it @Transient"
            ),
            (
                "var a: Dictionary<String, Int>? ",
                "2:8 error: No field holds a dictionary: give 'a' another type, or mark it @Transient\n"
                    + "  fix: Add '@Transient'"
            ),
            (
                "var a: (Int, Int)",
                "2:8 error: No field holds a tuple: give 'a' another type, or mark it @Transient"
            ),
            (
                "let a: () -> Void",
                "2:8 error: No field holds a function: give 'a' another type, or mark it @Transient"
            ),
            (
                "var a: (@Sendable () -> Void)? = nil",
                "2:8 error: No field holds a function: give 'a' another type, or mark it @Transient\n"
                    + "  fix: Add '@Transient'"
            ),
            (
                "@Clamped(0...1) var a: Int",
                "2:1 error: The macro cannot see what @Clamped makes of 'a': mark the property @Transient, or remove "
                    + "@Clamped\n  fix: Add '@Transient'"
            ),
            (
                "#if DEBUG\n@Clamped\n#endif\nvar a: Int",
                "3:1 error: The macro cannot see what @Clamped makes of 'a': mark the property @Transient, or remove "
                    + "@Clamped\n  fix: Add '@Transient'"
            ),
            (
                "var `Type`: Int",
                "2:5 error: No key path names a property called 'Type': rename it, and keep the field's name with @Field"
            ),
            (
                "@Transient var a: Bool",
                "2:16 error: 'a' is no field, so a record cannot say what it is: give it a default\n"
                    + "  fix: Add '= false'"
            ),
            (
                "@Transient var a: [Int]",
                "2:16 error: 'a' is no field, so a record cannot say what it is: give it a default\n  fix: Add '= …'"
            ),
            (
                "@Transient let a: Int?",
                "2:16 error: 'a' is no field, so a record cannot say what it is: give it a default"
            ),
            (
                "@Field(name) var a: Int",
                "2:8 error: @Field takes the field's name as a string literal, as in @Field(\"price\")"
            ),
            (
                "@Field(\"a\\(1)\") var a: Int",
                "2:8 error: @Field takes the field's name as a string literal, as in @Field(\"price\")"
            ),
            ("@Field(\"b\") @Field(\"c\") var a: Int", "2:13 error: 'a' has two field names: remove one @Field"),
            (
                "@Transient @Field(\"b\") var a = 1",
                "2:12 error: 'a' is @Transient, so there is no field to name: remove @Field or @Transient"
            ),
            (
                "@Field(\"2nd\") var a: Int",
                "2:8 error: \"2nd\" is no field name: a letter comes first, then letters, digits and underscores, "
                    + "255 bytes at most"
            ),
            (
                "@Field(\"\") var a: Int",
                "2:8 error: \"\" is no field name: a letter comes first, then letters, digits and underscores, "
                    + "255 bytes at most"
            ),
            (
                "var _a: Int",
                "2:5 error: '_a' is no field name: give one with @Field(\"name\"); a letter comes first, then letters, "
                    + "digits and underscores, 255 bytes at most\n  fix: Add '@Field(\"…\")'"
            ),
            (
                "var `a b`: Int",
                "2:5 error: 'a b' is no field name: give one with @Field(\"name\"); a letter comes first, then "
                    + "letters, digits and underscores, 255 bytes at most\n  fix: Add '@Field(\"…\")'"
            ),
            (
                "var a = 1, _b = 2",
                "2:12 error: '_b' is no field name: give one with @Field(\"name\"); a letter comes first, then letters, "
                    + "digits and underscores, 255 bytes at most"
            ),
            (
                "var recordName: String",
                "2:5 error: 'recordName' is a name that every record has beside its fields: give the field another "
                    + "with @Field(\"name\")\n  fix: Add '@Field(\"…\")'"
            ),
            (
                "@Field(\"modifiedTimestamp\") var a: Int",
                "2:8 error: 'modifiedTimestamp' is a name that every record has beside its fields: give the field another "
                    + "with @Field(\"name\")"
            ),
            (
                "@Field(\"title\") var a: Int",
                "2:8 error: 'title' and 'a' are both the field \"title\": give one of them another name with @Field\n"
                    + "  1:34 note: \"title\" is taken here"
            ),
        ])
    func `a property that cannot be a field is rejected`(member: String, diagnostic: String) {
        let expansion = Expansion("@RecordCodable struct Post { var title: String\n\(member)\n}")
        #expect(expansion.diagnostics == [diagnostic])
        #expect(expansion.extensions == "")
    }

    @Test(
        arguments: [
            (
                "@Field(\"b\") var a: Int { 1 }",
                "2:1 error: @Field names the field of a stored property, and this is none that a record could set"
            ),
            (
                "@Field(\"b\") func a() {}",
                "2:1 error: @Field names the field of a stored property, and this is none that a record could set"
            ),
            (
                "@Field(\"b\") static var a = 1",
                "2:1 error: @Field names the field of a stored property, and this is none that a record could set"
            ),
            (
                "@Field(\"b\") let a = 1",
                "2:1 error: @Field names the field of a stored property, and this is none that a record could set"
            ),
            (
                "@Transient lazy var a = 1",
                "2:1 warning: @Transient changes nothing here: only stored properties that can be set are fields"
            ),
            (
                "@Transient var a: Int { 1 }",
                "2:1 warning: @Transient changes nothing here: only stored properties that can be set are fields"
            ),
            (
                "struct Inner { @Field(\"b\") var a: Int }",
                "2:16 warning: Nothing reads @Field here: the type around it has no @RecordCodable"
            ),
            (
                "struct Inner { @Transient var a = 1 }",
                "2:16 warning: Nothing reads @Transient here: the type around it has no @RecordCodable"
            ),
        ])
    func `a mark that means nothing is found`(member: String, diagnostic: String) {
        let expansion = Expansion("@RecordCodable struct Post { var title: String\n\(member)\n}")
        #expect(expansion.diagnostics == [diagnostic])
        #expect(expansion.cases == ["title"])
    }

    @Test(
        arguments: [
            ("@RecordCodable", "static let RecordType = \"BlogPost\"", "BlogPost", true),
            ("@RecordCodable", "static var recordtype: String { \"BlogPost\" }", "name", false),
            ("@RecordCodable", "static let RECORD_TYPE = \"my posts\"", "name", false),
            ("@RecordDecodable()", "static let RecordType: String = kind", "name", false),
            ("@RecordEncodable", "let recordType = \"BlogPost\"", "BlogPost", true),
            ("@RecordCodable(\"Post\")", "static let RecordType = \"BlogPost\"", "BlogPost", false),
        ])
    func `a member that looks like the record type and is not read is found`(
        macro: String, member: String, wanted: String, isFixed: Bool
    ) {
        let expansion = Expansion("\(macro) struct Post {\n    \(member)\n    var title: String\n}")
        let name = macro.prefix { $0 != "(" }
        let match = member.firstMatch(of: /(?i)record_?type/)
        let column = match.map { member[..<$0.range.lowerBound].count + 5 } ?? 0
        let found = match?.output ?? ""
        #expect(
            expansion.diagnostics == [
                "2:\(column) warning: Nothing reads '\(found)': the record type is \"Post\". To name another one, write "
                    + "\(name)(\"\(wanted)\")" + (isFixed ? "\n  fix: Add '(\"\(wanted)\")'" : "")
            ])
        #expect(expansion.cases == ["title"], "A warning leaves the model as it is")
        #expect(expansion.fixed.hasPrefix("\(name)(\"\(wanted)\") struct Post {") == isFixed)
    }

    @Test func `an argument beside the member that is read is found`() {
        let expansion = Expansion(
            "@RecordCodable(\"Entry\") struct Post { static let recordType = \"BlogPost\"; var title: String }")
        #expect(
            expansion.diagnostics == [
                "1:16 warning: Nothing reads \"Entry\": the record type is that of the member 'recordType'. Remove one of "
                    + "the two"
            ])
    }

    @Test(
        arguments: [
            "static let recordType = \"BlogPost\"", "static var recordType: String { \"BlogPost\" }",
            "static let RecordType = \"Post\"", "static let RecordType = recordType; static let recordType = \"Blog\"",
            "var RecordType: String", "func recordType() {}", "static let type = \"BlogPost\"",
        ])
    func `a member that is read, or says the same, is left alone`(member: String) {
        #expect(Expansion("@RecordCodable struct Post { \(member); var title: String }").diagnostics == [])
    }

    @Test func `a mark is left alone where a macro may be inside a condition`() {
        let expansion = Expansion("#if DEBUG\n@RecordCodable\n#endif\nstruct Post { @Field(\"b\") var a: Int }")
        #expect(expansion.diagnostics == [])
    }

    @Test(
        arguments: [
            ("@Transient var a: Bool", "@Transient var a: Bool = false"),
            ("@Transient var a: [Int] // why", "@Transient var a: [Int] = <#default#> // why"),
            ("var _a: Int", "@Field(\"<#name#>\") var _a: Int"),
            ("public private(set) var _a: Int", "@Field(\"<#name#>\") public private(set) var _a: Int"),
            ("@Clamped var a = 1", "@Transient @Clamped var a = 1"),
            ("var a: [Int: Int] = [:]", "@Transient var a: [Int: Int] = [:]"),
        ])
    func `a fix changes the property as its sentence says`(member: String, fixed: String) {
        let expansion = Expansion("@RecordCodable struct Post {\n    /// It.\n    \(member)\n    var title: String\n}")
        #expect(
            expansion.fixed == "@RecordCodable struct Post {\n    /// It.\n    \(fixed)\n    var title: String\n}")
    }

    @Test func `all mistakes are reported at once`() {
        let expansion = Expansion(
            """
            @RecordCodable("1") struct Post {
                var _a: Int
                var b: [Int: Int]
                @Transient var c: Int
            }
            """)
        #expect(expansion.diagnostics.map { $0.prefix { $0 != " " } } == ["2:9", "3:12", "4:20", "1:16"])
    }

    @Test(arguments: [("RecordCodable", "RecordDecodable"), ("RecordDecodable", "RecordEncodable")])
    func `of several macros on one struct the first is enough`(first: String, second: String) {
        let problem =
            "error: Write @RecordCodable alone: it reads and writes, and several macros would write the same members "
            + "twice"
        let expansion = Expansion("@\(first)\n@\(second)\nstruct Post { var title: String }")
        #expect(expansion.diagnostics == ["2:1 \(problem)"])
        let turned = Expansion("@\(second)\n@\(first)\nstruct Post { var title: String }")
        #expect(turned.diagnostics == ["1:1 \(problem)"])
    }
}
