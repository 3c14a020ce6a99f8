import RecordModel
import TestSupport
import Testing

/// The rules of `SchemaEvolution`, each broken once.
@Suite struct SchemaRuleTests {
    private typealias Sample = SampleSchema
    typealias Target = SchemaEvolution.Target
    typealias Facts = SchemaEvolution.Facts

    /// A change that breaks one rule.
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let evolution: SchemaEvolution
        var code = RecordError.Code.badRequest
        var cause: RecordError.Cause?
        let reason: String
        var details: [String] = []

        var testDescription: String { rule }
    }

    private static let post = Sample.type("Post", [Sample.field(1, "title"), Sample.field(2, "n", .int64)])

    private static func validate(
        _ from: [RecordTypeDefinition] = [post], _ to: [Target], records: [String] = [],
        _ change: (inout Facts) -> Void = { _ in }
    ) -> SchemaEvolution {
        .validate(from: Schema(types: from), to: to, facts: facts(records: records, change))
    }

    private static func facts(records: [String] = [], _ change: (inout Facts) -> Void = { _ in }) -> Facts {
        var facts = Facts()
        facts.typesWithRecords = Set(records.map(Sample.typeName))
        change(&facts)
        return facts
    }

    @Test func `everything that a change would lose is listed, and the first problem of each type`() {
        let broken = Sample.type("Broken", id: 2)
        var wrong = broken
        wrong.grants = Self.crew
        let evolution = Self.validate(
            [Self.post, broken, Sample.type("Gone", id: 3)],
            [Target(wrong)] + Self.to([Sample.field(2, "n", .string)]), records: ["Post", "Gone"])
        #expect(
            evolution.refusals.map(\.loss) == [
                nil, .field(Sample.typeName("Post"), Sample.fieldName("title")),
                .field(Sample.typeName("Post"), Sample.fieldName("n")), .type(Sample.typeName("Gone")),
            ])
        #expect(evolution.violation == evolution.refusals.first?.error)
        #expect(evolution.violation?.cause == .unknownName)
    }

    @Test func `fields that no record has can be left out or retyped, by a promotion only on request`() {
        let retyped = Self.to([Sample.field(2, "n", .string)])
        let empty = { (facts: inout Facts) in facts.emptyFields = [Sample.typeName("Post"): [1, 2]] }
        let evolution = Self.validate([Self.post], retyped, records: ["Post"], empty)
        #expect(evolution.violation == nil && evolution.steps.count == 2)
        let half = Self.validate([Self.post], retyped, records: ["Post"]) {
            $0.emptyFields = [Sample.typeName("Post"): [1]]
        }
        #expect(half.refusals.map(\.loss) == [.field(Sample.typeName("Post"), Sample.fieldName("n"))])
        let less = Self.to([Self.post.fields[0]])
        for (drops, isEmpty) in [(false, true), (true, false), (true, true)] {
            let promotion = Self.validate([Self.post], less, records: ["Post"]) {
                $0.isPromotion = true
                $0.dropsEmptyFields = drops
                if isEmpty { empty(&$0) }
            }
            #expect((promotion.violation == nil) == (drops && isEmpty))
        }
        let unused = Self.validate([Self.post], less) {
            $0.isPromotion = true
            $0.dropsEmptyFields = true
        }
        #expect(unused.violation == nil)
    }

    @Test func `a promotion may widen fields, keeps Users, and grants to roles that it creates`() {
        let users = Sample.type("Users", id: 2, grants: .users)
        var facts = Facts()
        facts.isPromotion = true
        let evolution = SchemaEvolution.validate(
            from: Schema(types: [Self.post, users]),
            to: Self.to([Self.post.fields[0], Sample.field(2, "n", .double)], grants: Self.crew),
            roles: [Sample.role("crew"), .world], facts: facts)
        #expect(evolution.violation == nil && evolution.refusals.isEmpty)
        #expect(evolution.newRoles == [Sample.role("crew")])
        #expect(!evolution.steps.contains { $0.change == .removeType })
        #expect(evolution.steps.contains { $0.change == .setGrants(Self.crew) })
    }

    private static func to(
        _ fields: [FieldDefinition] = post.fields, declared: [IndexRequest.Shape] = [], grants: Grants = .standard,
        access: AccessTemplate? = nil, statesAccess: Bool = true
    ) -> [Target] {
        var type = Sample.type("Post", grants: grants, fields)
        type.defaultAccess = access
        var target = Target(type)
        target.declared = declared
        target.statesAccess = statesAccess
        return [target]
    }

    private static let fullSchema = (1...Limits.recordTypes).map {
        Sample.type("T\($0)", id: TypeID(rawValue: Int64($0)))
    }
    private static let manyFields = (1...Limits.fieldsPerType + 1).map { Sample.field($0, "f\($0)") }
    private static let crew = Grants([Sample.role("crew"): .read])
    private static let unlike = [Sample.field(1, "title", readers: ["_creator"]), Sample.field(2, "n", .int64)]
    private static let unique = Sample.shape([1, 2], isUnique: true)

    private static func names(_ entries: [AccessTemplate.Name]) -> AccessTemplate {
        AccessTemplate(entries: entries.map { .init(name: $0, rights: .read) })
    }

    static let documents: [Row] = [
        Row(
            rule: "1, a type twice", evolution: validate([post], to() + to()),
            reason: "The type Post is named twice", details: ["recordType"]),
        Row(
            rule: "2, types", evolution: validate(fullSchema, (fullSchema + [post]).map { Target($0) }),
            cause: .tooLarge, reason: "The schema has its full number of record types", details: ["limit"]),
        Row(
            rule: "3, a field left out", evolution: validate([post], to([post.fields[0]]), records: ["Post"]),
            reason:
                "The type Post has records, so its field n cannot be left out: 1 or more of them have it. Empty it first with PATCH /query/Post?where=n IS NOT NULL and {\"fields\":{\"n\":null}}",
            details: ["recordType", "field"]),
        Row(
            rule: "3, without names",
            evolution: validate([post], to([post.fields[0]]), records: ["Post"]) { $0.tellsNames = false },
            reason: "The type Post has records, so none of its fields can be left out", details: ["recordType"]),
        Row(
            rule: "4, another type",
            evolution: validate([post], to([post.fields[0], Sample.field(2, "n", .string)]), records: ["Post"]),
            reason:
                "The field n of type Post is INT64 and cannot become STRING while there are records. Delete them first, or add a field with another name",
            details: ["recordType", "field"]),
        Row(
            rule: "5, fields", evolution: validate([post], to(manyFields)), cause: .tooLarge,
            reason: "The type Post has its full number of fields", details: ["limit"]),
        Row(
            rule: "6, indexes",
            evolution: validate(
                [post],
                to(
                    (1...IndexDefinition.maxPerType).map { Sample.field($0, "f\($0)", .int64, .queryable) },
                    declared: [Sample.shape([1, 2])])),
            cause: .tooLarge, reason: "The type Post would have more indexes than a type may have",
            details: ["recordType", "limit"]),
        Row(
            rule: "8, a role of a field",
            evolution: validate([post], to([Sample.field(1, "title", writers: ["crew"]), post.fields[1]])),
            cause: .unknownName, reason: "The role crew does not exist. Make it with PUT /roles/crew first",
            details: ["role"]),
        Row(
            rule: "9, a role of a type", evolution: validate([post], to(grants: crew)), cause: .unknownName,
            reason: "The role crew does not exist. Make it with PUT /roles/crew first", details: ["role"]),
        Row(
            rule: "10, a role in a list",
            evolution: validate([post], to(access: names([.everyone, .creator, .role(Sample.role("crew"))]))),
            cause: .unknownName, reason: "The access list names a user or a role that does not exist",
            details: ["principal"]),
        Row(
            rule: "11, readers of a UNIQUE index", evolution: validate([post], to(unlike, declared: [unique])),
            reason:
                "A caller that writes one field of a unique index learns about the others. Give the fields the same 'read', or leave one out of the index",
            details: ["recordType"]),
        Row(
            rule: "12, a type left out", evolution: validate([post], [], records: ["Post"]),
            reason: "The type Post has records and cannot be left out. Delete its records first",
            details: ["recordType"]),
        Row(
            rule: "12, without names",
            evolution: validate([post], [], records: ["Post"]) { $0.tellsNames = false },
            reason: "The document leaves out a type that has records. Send all types"),
        Row(
            rule: "13, rights", evolution: validate([post], to(grants: Grants())) { $0.mayChangeRights = false },
            code: .accessDenied,
            reason:
                "The document changes the permissions of Post, which needs the right changeRights. Leave out grants, acl, read and write, or send them as they are",
            details: ["recordType", "right"]),
        Row(
            rule: "13, without names",
            evolution: validate([Sample.type("Post", grants: Grants())], []) {
                $0.mayChangeRights = false
                $0.tellsNames = false
            }, code: .accessDenied,
            reason: "The document leaves out a type with rights of its own, which takes the right changeRights",
            details: ["right"]),
        Row(
            rule: "13, a new role",
            evolution: .validate(
                from: Schema(types: [post]), to: to(), roles: [Sample.role("crew")],
                facts: facts { $0.mayChangeRights = false }),
            code: .accessDenied,
            reason:
                "The document creates the role crew, which takes the right changeRights. Let an administrator create it first",
            details: ["role", "right"]),
        Row(
            rule: "17, a type left out", evolution: validate([post], []) { $0.isPromotion = true },
            reason:
                "Production has the type Post, and a promotion removes no types. Add it to development, or remove it from production with PUT /schema",
            details: ["recordType"]),
        Row(
            rule: "17, a field left out", evolution: validate([post], to([post.fields[0]])) { $0.isPromotion = true },
            reason:
                "The field n of type Post is in production, and a promotion removes no fields. Add it to development, or promote with {\"dropFields\":true}, which removes fields that no record has",
            details: ["recordType", "field"]),
        Row(
            rule: "17, another type",
            evolution: validate([post], to([post.fields[0], Sample.field(2, "n", .string)])) { $0.isPromotion = true },
            reason:
                "The field n of type Post is INT64 and cannot become STRING by a promotion. Give it its type in development, or add a field with another name",
            details: ["recordType", "field"]),
        Row(
            rule: "17, without names",
            evolution: validate([post], []) {
                $0.isPromotion = true
                $0.tellsNames = false
            }, reason: "Production has a type that development lacks, and a promotion removes no types"),
    ]

    private static func extending(_ environment: RecordEnvironment, _ types: [RecordTypeDefinition]) -> SchemaEvolution
    {
        .extending(
            Schema(types: types), Sample.typeName("Post"), .standard, with: [(Sample.fieldName("new"), .string)],
            justInTimeIn: environment)
    }

    private static func adding(_ request: IndexRequest, to fields: [FieldDefinition]) -> SchemaEvolution {
        .adding(request, to: Sample.type("Post", fields))
    }

    private static let mixed = [
        Sample.field(1, "b", .bytes), Sample.field(2, "l", .stringList), Sample.field(3, "n", .int64),
    ]
    private static let recordName = IndexRequest.Shape(kind: .ordered, columns: [.init(.system(.recordName))])

    static let others: [Row] = [
        Row(
            rule: "14, production", evolution: extending(.production, []), cause: .unknownName,
            reason: "The schema of the production environment changes by PUT /schema only"),
        Row(
            rule: "2, just in time", evolution: extending(.development, fullSchema), cause: .tooLarge,
            reason: "The schema has its full number of record types", details: ["limit"]),
        Row(
            rule: "5, just in time",
            evolution: extending(.development, [Sample.type("Post", Array(manyFields.dropLast()))]), cause: .tooLarge,
            reason: "The type Post has its full number of fields", details: ["limit"]),
        Row(
            rule: "15, no field", evolution: adding(IndexRequest(options: [9: .queryable]), to: mixed),
            reason: "The field does not exist", details: ["recordType"]),
        Row(
            rule: "15, options", evolution: adding(IndexRequest(options: [1: .queryable]), to: mixed),
            reason: "A field of type BYTES cannot be QUERYABLE or SORTABLE", details: ["recordType", "field"]),
        Row(
            rule: "16, no field", evolution: adding(IndexRequest(indexes: [Sample.shape([9])]), to: mixed),
            reason: "The field does not exist", details: ["recordType"]),
        Row(
            rule: "16, a system field", evolution: adding(IndexRequest(indexes: [recordName]), to: mixed),
            reason: "The field recordName cannot stand in an index", details: ["recordType"]),
        Row(
            rule: "16, no column", evolution: adding(IndexRequest(indexes: [Sample.shape([])]), to: mixed),
            reason: "An index needs at least one field", details: ["recordType"]),
        Row(
            rule: "16, twice", evolution: adding(IndexRequest(indexes: [Sample.shape([3, 3])]), to: mixed),
            reason: "A field stands twice in the index, or is no list", details: ["recordType"]),
        Row(
            rule: "16, no list", evolution: adding(IndexRequest(indexes: [Sample.shape([3], .members)]), to: mixed),
            reason: "A field stands twice in the index, or is no list", details: ["recordType"]),
        Row(
            rule: "11, of one index", evolution: adding(IndexRequest(indexes: [unique]), to: unlike),
            reason:
                "A caller that writes one field of a unique index learns about the others. Give the fields the same 'read', or leave one out of the index",
            details: ["recordType"]),
        Row(
            rule: "6, of one index",
            evolution: adding(
                IndexRequest(options: Dictionary(uniqueKeysWithValues: (1...65).map { ($0, .queryable) })),
                to: (1...65).map { Sample.field($0, "f\($0)") }),
            cause: .tooLarge, reason: "The type Post would have more indexes than a type may have",
            details: ["recordType", "limit"]),
        Row(
            rule: "4, of one field",
            evolution: .changing(post.fields[0], to: .double, of: post, hasRecords: true),
            reason:
                "The field title of type Post is STRING and cannot become DOUBLE while there are records. Delete them first, or add a field with another name",
            details: ["recordType", "field"]),
        Row(
            rule: "9, of one type", evolution: .granting(crew, of: post, facts: Facts()), cause: .unknownName,
            reason: "The role crew does not exist. Make it with PUT /roles/crew first", details: ["role"]),
    ]

    @Test(arguments: documents + others) func `a broken rule has its error`(_ row: Row) throws {
        let violation = try #require(row.evolution.violation)
        #expect(violation.code == row.code && violation.cause == row.cause)
        #expect(violation.reason == row.reason)
        #expect(violation.details.map(\.key) == row.details)
    }

    @Test func `the first of several broken rules is reported, type after type`() {
        let bad = Self.to([Sample.field(1, "title", writers: ["crew"])], grants: Self.crew)
        let evolution = Self.validate([Self.post], bad, records: ["Post"]) { $0.mayChangeRights = false }
        #expect(evolution.violation?.reason.contains("its field n cannot be left out") == true)
        let other = Sample.type("Another", id: 2, [Sample.field(1, "a")])
        let both = [Self.post, other].map { Target(Sample.type($0.name.text)) }
        for (targets, name) in [(both, "Post"), (both.reversed(), "Another")] {
            let evolution = Self.validate([Self.post, other], targets, records: ["Post", "Another"])
            #expect(evolution.violation?.details.first?.value == .text(name))
        }
    }

    /// Rule 7 is broken by values alone, which are read when the indexes are built.
    @Test func `rules after a change to DOUBLE are reported after what its values break`() {
        let wide = [Self.post.fields[0], Sample.field(2, "n", .double)]
        let early = Self.validate([Self.post], Self.to(wide + [Sample.field(3, "a", writers: ["crew"])]))
        #expect(early.violation?.cause == .unknownName && early.dependsOnValues)
        #expect(early.steps.last?.change == .buildIndexes(widening: [2]))
        let late = Self.validate([Self.post], Self.to(Self.manyFields))
        #expect(!late.dependsOnValues)
    }

    @Test func `changes without a rule are allowed`() {
        let access = Self.names([.everyone, .creator])
        let known = Self.validate([Self.post], Self.to(grants: Self.crew, access: access)) {
            $0.roles = [Sample.role("crew")]
        }
        #expect(known.violation == nil)
        // A list that is not part of the request is not checked again.
        let gone = Self.names([.role(Sample.role("gone"))])
        #expect(Self.validate([Self.post], Self.to(access: gone, statesAccess: false)).violation == nil)
        // The type of user records stays while accounts exist, and may be deleted with the last one.
        let users = Sample.type("Users", grants: .users)
        let left = Self.validate([users], [], records: ["Users"]) {
            $0.hasAccounts = true
            $0.mayChangeRights = false
        }
        #expect(left.violation == nil && left.steps.isEmpty)
        #expect(Self.validate([users], []).steps.map(\.change) == [.removeType])
        // A UNIQUE index with different readers, which an older version took.
        let old = Sample.type("Post", Self.unlike, indexes: [Sample.index(1, [1, 2], isUnique: true)])
        #expect(Self.validate([old], Self.to(Self.unlike, declared: [Self.unique])).violation == nil)
    }
}
