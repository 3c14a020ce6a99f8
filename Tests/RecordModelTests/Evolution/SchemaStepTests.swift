import RecordModel
import TestSupport
import Testing

/// The steps of `SchemaEvolution` lead to the requested schema.
@Suite struct SchemaStepTests {
    private typealias Sample = SampleSchema
    typealias Target = SchemaEvolution.Target

    private static var facts: SchemaEvolution.Facts {
        var facts = SchemaEvolution.Facts()
        facts.roles = Set(["crew", "staff"].map(Sample.role))
        return facts
    }

    /// A random description of a type: fields, options, indexes and rights.
    private static func target(
        _ name: String, from schema: Schema, using random: inout SeededGenerator
    ) -> Target {
        let types: [FieldType] = [.string, .int64, .int64, .double, .int64List, .doubleList, .bytes]
        let roles: [[String]?] = [nil, nil, [], ["crew"], ["crew", "_creator"]]
        let before = schema[Sample.typeName(name)] ?? Sample.type(name)
        var fields = before.fields(
            becoming: (0..<8).shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random)).map {
                (Sample.fieldName("f\($0)"), types.randomElement(using: &random) ?? .string)
            })
        for position in fields.indices {
            let type = fields[position].type
            fields[position].options = type == .bytes || Bool.random(using: &random) ? [] : .queryable
            fields[position].readers = (roles.randomElement(using: &random) ?? nil).map { Set($0.map(Sample.role)) }
            fields[position].writers = (roles.randomElement(using: &random) ?? nil).map { Set($0.map(Sample.role)) }
        }
        let scalars = fields.filter { !$0.type.isList && $0.type != .bytes }.map(\.id)
        var declared: [IndexRequest.Shape] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) where !scalars.isEmpty {
            let count = Int.random(in: 1...scalars.count, using: &random)
            let columns = Array(scalars.shuffled(using: &random).prefix(count))
            let shape = Sample.shape(columns, isUnique: count == 1 && Bool.random(using: &random))
            if !declared.contains(shape) { declared.append(shape) }
        }
        let grants: [Grants] = [.standard, .users, Grants([Sample.role("staff"): .all]), Grants()]
        var type = before.replacing(fields: fields, indexes: [])
        type.grants = grants.randomElement(using: &random) ?? .standard
        type.requiresAccessLists = Bool.random(using: &random)
        type.defaultAccess = Bool.random(using: &random) ? AccessTemplate(stored: "_creator=3") : nil
        var target = Target(type)
        target.declared = declared
        target.retriesFailed = Bool.random(using: &random)
        return target
    }

    /// The visible properties of a field, regardless of its order and number.
    private static func fields(_ type: RecordTypeDefinition, isDone: Bool = true) -> [String: FieldDefinition] {
        let fields = type.fields.map { field in
            let isWidened = !isDone && type.wideningFields.contains(field.id)
            return (field.name.text, isWidened ? field.retyped(field.type.widened ?? field.type) : field)
        }
        return Dictionary(fields, uniquingKeysWith: { _, last in last })
    }

    /// Ends all builds of a type: they are ready, or some have failed.
    private static func build(_ name: RecordTypeName, of schema: inout Schema, using random: inout SeededGenerator) {
        guard let type = schema[name] else { return }
        let built = type.maintainedIndexes.filter(\.isBuilding).map(\.id)
        let failed = built.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
        let failures = Dictionary(uniqueKeysWithValues: failed.map { ($0, "") })
        schema.apply(.settling(type, ready: built, failures: failures))
    }

    @Test(arguments: 0..<300) func `the steps of a random history lead to each of its schemas`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var schema = Schema()
        for _ in 0..<8 {
            let names = ["A", "B", "C"].shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
            let targets = names.map { Self.target($0, from: schema, using: &random) }
            let before = schema
            let evolution = SchemaEvolution.validate(from: before, to: targets, facts: Self.facts)
            #expect(evolution.violation == nil || evolution.violation?.reason.contains("unique index") == true)
            guard evolution.violation == nil else { continue }
            schema.apply(evolution)
            #expect(Set(schema.types.keys) == Set(names))
            for target in targets {
                guard let type = schema[target.type.name] else { continue }
                #expect(Self.fields(type, isDone: false) == Self.fields(target.type))
                #expect(Set(type.declaredShapes) == Set(target.declared))
                #expect(TypeRightsView(type) == TypeRightsView(target.type))
                for field in type.fields where !field.options.isEmpty {
                    #expect(
                        type.indexes(servingOptionsOf: field).count
                            == RecordTypeDefinition.shapes(forOptionsOf: field).count)
                }
                // Every index on a field that becomes DOUBLE has another that reads it so.
                let numbers = type.replacements.filter { $0.kind != .widening }.map(\.shape)
                for index in type.indexes where !index.isFailed {
                    let widens = index.columns.contains { column in
                        if case .field(let id) = column.source { type.wideningFields.contains(id) } else { false }
                    }
                    #expect(numbers.contains(index.shape) == widens)
                }
                var same = target
                same.retriesFailed = false
                let again = SchemaEvolution.validate(
                    from: Schema(types: [type]), to: [same], facts: Self.facts)
                #expect(again.steps.isEmpty && again.violation == nil, "\(again.steps)")
            }
            let hasChanged = schema.changedRights(since: before).contains { before[$0.after.name] != nil }
            #expect(!evolution.steps.isEmpty || !hasChanged)
            for name in names where Bool.random(using: &random) {
                Self.build(Sample.typeName(name), of: &schema, using: &random)
            }
        }
    }

    private struct TypeRightsView: Equatable {
        let grants: Grants
        let access: AccessTemplate?
        let isRequired: Bool

        init(_ type: RecordTypeDefinition) {
            (grants, access, isRequired) = (type.grants, type.defaultAccess, type.requiresAccessLists)
        }
    }

    @Test func `a field becomes DOUBLE when its check and the indexes on it are ready`() throws {
        let n = Sample.field(1, "n", .int64, .queryable)
        let type = Sample.type("Post", [n], indexes: [Sample.index(1, [1], isDeclared: false)])
        var schema = Schema(types: [type])
        schema.apply(.changing(n, to: .double, of: type, hasRecords: true))
        var current = try #require(schema[type.name])
        #expect(current["n"]?.type == .int64 && current.indexes.map(\.id) == [1])
        #expect(current.replacements.map(\.kind) == [.widening, .ordered] && current.wideningFields == [1])
        // The type that it has takes the change back.
        var back = schema
        back.apply(.changing(n, to: .int64, of: current, hasRecords: true))
        #expect(back[type.name] == type)
        for index in current.replacements {
            #expect(current["n"]?.type == .int64)
            schema.apply(.settling(current, ready: [index.id], failures: [:]))
            current = try #require(schema[type.name])
        }
        let wide = current
        #expect(wide["n"]?.type == .double && wide.replacements.isEmpty)
        #expect(wide.indexes.map(\.columns).joined().map(\.readsAsDouble) == [true])
    }

    @Test func `a failed index on the way to DOUBLE fails the check`() throws {
        let n = Sample.field(1, "n", .int64, .queryable)
        let type = Sample.type("Post", [n], indexes: [Sample.index(1, [1], isDeclared: false)])
        var schema = Schema(types: [type])
        schema.apply(.changing(n, to: .double, of: type, hasRecords: true))
        let current = try #require(schema[type.name])
        let index = try #require(current.replacements.last)
        schema.apply(.settling(current, ready: [], failures: [index.id: "why"]))
        let after = try #require(schema[type.name])
        #expect(after.check(ofField: 1)?.state == .failed("why"))
        #expect(after["n"]?.type == .int64 && after.indexes == type.indexes)
    }

    @Test func `a deleted role is in no grant, and its fields belong to no role`() {
        let crew = Sample.role("crew")
        var schema = Schema(types: [
            Sample.type(
                "Post", grants: Grants([crew: .all, .world: .read]),
                [Sample.field(1, "a", readers: ["crew"], writers: ["crew", "_creator"]), Sample.field(2, "b")]),
            Sample.type("Other", id: 2),
        ])
        let evolution = SchemaEvolution.removing(crew, from: schema)
        #expect(evolution.steps.count == 2)
        schema.apply(evolution)
        let type = schema[Sample.typeName("Post")]
        #expect(type?.grants == Grants([.world: .read]))
        #expect(type?["a"]?.readers == [] && type?["a"]?.writers == [.creator])
    }

    @Test func `grants are set again, so that sync tokens from before expire`() {
        let type = Sample.type("Post")
        let evolution = SchemaEvolution.granting(.standard, of: type, facts: Self.facts)
        #expect(evolution.steps.map(\.change) == [.setGrants(.standard)])
    }

    @Test func `an index that is there is not added again`() {
        let type = Sample.type(
            "Post", [Sample.field(1, "a", .string, .queryable), Sample.field(2, "b")],
            indexes: [Sample.index(1, [1], isUnique: true), Sample.index(2, [2], isUnique: true, .failed(""))])
        let a = IndexRequest(options: [1: .queryable], indexes: [Sample.shape([1])])
        #expect(SchemaEvolution.adding(a, to: type).steps.isEmpty)
        // A UNIQUE index that could not be built finds nothing.
        let b = SchemaEvolution.adding(IndexRequest(indexes: [Sample.shape([2])]), to: type).steps.map(\.change)
        #expect(b == [.addIndex(Sample.shape([2]), isDeclared: true), .buildIndexes(widening: [])])
    }
}
