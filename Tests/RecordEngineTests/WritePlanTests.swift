import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// The plan of a write, without a store.
@Suite struct WritePlanTests {
    private static func type() throws -> RecordTypeDefinition {
        RecordTypeDefinition(
            id: TypeID(rawValue: 3), name: try #require(RecordTypeName("Post")), grants: .standard,
            fields: [
                FieldDefinition(id: 1, name: try #require(FieldName("title")), type: .string),
                FieldDefinition(id: 2, name: try #require(FieldName("thread")), type: .reference),
            ])
    }

    /// A state with the fields that a request would send.
    private static func state(_ fields: String, access: [UInt8]? = nil, isDeleted: Bool = false) throws
        -> WritePlan.State
    {
        let type = try type()
        let input = try RecordInput.readSingle(Array(#"{"fields":{\#(fields)}}"#.utf8))
        let resolved = try FieldResolver.resolve(
            input, typeName: type.name, type: type, allowsNewFields: false, recordBytes: 1 << 20)
        let merge = try FieldMerger.merge(
            resolved, into: nil, replacingAll: true, now: 0, recordBytes: 1 << 20, loadExternal: { _ in [] })
        let row = RecordRow(
            id: RecordNumber(rawValue: 7), type: type.id, sequence: 7, revision: 1, creator: 16,
            created: 0, modifier: 16, modified: 0, isDeleted: isDeleted, access: access)
        return WritePlan.State(row: row, fields: merge.stored)
    }

    private static func plan(_ before: WritePlan.State?, _ after: WritePlan.State?) throws -> WritePlan {
        WritePlan(try type(), zone: ZoneTable.publicDefault, name: "a", before: before, after: after)
    }

    private static let reference = #""thread":{"value":{"recordName":"t","action":"VALIDATE"},"type":"REFERENCE"}"#

    @Test func `the description of a plan lists its effects`() throws {
        let plain = try Self.state(#""title":"x""#)
        let bound = try Self.state(Self.reference)
        let listed = try Self.state(#""title":"x""#, access: [])
        #expect("\(try Self.plan(nil, plain))" == "create Post 'a'")
        #expect("\(try Self.plan(plain, bound))" == "change Post 'a': references")
        #expect("\(try Self.plan(plain, listed))" == "change Post 'a': access")
        #expect("\(try Self.plan(bound, nil))" == "erase Post 'a': references")
        let burial = try Self.plan(plain, nil)
        burial.tombstone = plain.row
        burial.hasEntries = true
        #expect("\(burial)" == "delete Post 'a': entries")
    }

    @Test func `only a write of its row alone takes one statement`() throws {
        let plain = try Self.state(#""title":"x""#)
        let bound = try Self.state(Self.reference)
        let listed = try Self.state(#""title":"x""#, access: [])
        #expect(try Self.plan(nil, plain).isOneStatement)
        #expect(try Self.plan(plain, plain).isOneStatement)
        for other in [bound, listed] {
            #expect(try !Self.plan(nil, other).isOneStatement)
            #expect(try !Self.plan(plain, other).isOneStatement)
            #expect(try !Self.plan(other, plain).isOneStatement)
        }
        #expect(try !Self.plan(plain, nil).isOneStatement)
        let more: [(WritePlan) -> Void] = [
            { $0.isNamed = true }, { $0.isPreserved = true }, { $0.hasEntries = true },
            { $0.largeValues = [(1, [])] }, { $0.removedLargeValues = [1] },
        ]
        for change in more {
            let plan = try Self.plan(nil, plain)
            change(plan)
            #expect(!plan.isOneStatement)
        }
    }

    @Test func `references come, go and stay as a set of edges would`() throws {
        var random = SeededGenerator(seed: 31)
        let actions: [ReferenceAction] = [.deleteSelf, .validate]
        func references() throws -> [(fieldID: Int, reference: Reference)] {
            try (0..<Int.random(in: 0...6, using: &random)).map { _ in
                let name = try #require(RecordName("t\(Int.random(in: 0...2, using: &random))"))
                let action = try #require(actions.randomElement(using: &random))
                return (Int.random(in: 1...2, using: &random), Reference(recordName: name, action: action))
            }
        }
        /// The stronger action of those of one field to one target.
        func edges(_ references: [(fieldID: Int, reference: Reference)]) -> [ReferenceChange.Edge: ReferenceAction] {
            var edges: [ReferenceChange.Edge: ReferenceAction] = [:]
            for (field, reference) in references {
                let edge = ReferenceChange.Edge(field: field, target: reference.recordName)
                if edges[edge] != .validate { edges[edge] = reference.action }
            }
            return edges
        }
        for _ in 0..<500 {
            let (old, new) = (try references(), try references())
            let unconfirmed: Set<Int> = Bool.random(using: &random) ? [1] : []
            let change = try ReferenceChange(from: old, to: new, unconfirmed: unconfirmed)
            var left = edges(old)
            for edge in change.removed { #expect(left.removeValue(forKey: edge) != nil) }
            left.merge(change.added) { $1 }
            #expect(left == edges(new))
            let expected = edges(new).filter { edge, action in
                action == .validate && (edges(old)[edge] != action || unconfirmed.contains(edge.field))
            }
            #expect(Set(change.validated) == Set(expected.keys))
            #expect(change.validated.count == expected.count)
        }
    }
}
