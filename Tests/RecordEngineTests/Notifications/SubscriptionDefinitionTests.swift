import RecordModel
import RecordWire
import Testing

@testable import RecordEngine

@Suite struct SubscriptionDefinitionTests {
    private static func read(_ text: String) throws -> SubscriptionDefinition {
        try SubscriptionDefinition(try #require(try JSONValue.parse(Array(text.utf8)).object))
    }

    @Test func `a definition survives being stored`() throws {
        for text in [
            #"{"type":"database"}"#, #"{"type":"zone","zone":"A b"}"#, #"{"type":"query","recordType":"Post"}"#,
            #"{"type":"query","recordType":"Post","where":"n > %d","args":[1],"zone":"A","firesOn":["delete"],"firesOnce":true,"notification":{"alertBody":"x","shouldBadge":true,"additionalFields":["n"]}}"#,
            #"{"type":"query","query":{"recordType":"Post","filterBy":[{"fieldName":"n","comparator":"EQUALS","fieldValue":{"value":1}}],"sortBy":[]}}"#,
        ] {
            let definition = try Self.read(text)
            #expect(SubscriptionDefinition(stored: definition.stored) == definition, "\(text)")
        }
        #expect(
            SubscriptionDefinition(stored: "{") == nil && SubscriptionDefinition(stored: #"{"type":"later"}"#) == nil)
    }

    @Test func `what is absent or null has its default`() throws {
        let definition = try Self.read(
            #"{"type":"query","recordType":"Post","where":null,"firesOn":null,"firesOnce":null,"zone":null,"notification":null}"#
        )
        #expect(definition.events == .all && !definition.firesOnce && definition.zone == nil)
        #expect(definition.condition == nil && definition.notification == nil && definition.fields.isEmpty)
    }

    @Test(arguments: [
        (#"{}"#, "type"), (#"{"type":"other"}"#, "type"), (#"{"type":3}"#, "type"), (#"{"type":"zone"}"#, "zone"),
        (#"{"type":"zone","zone":""}"#, "zone"), (#"{"type":"database","zone":"A"}"#, "zone"),
        (#"{"type":"database","firesOn":["create"]}"#, "firesOn"),
        (#"{"type":"zone","zone":"A","where":"a"}"#, "where"),
        (#"{"type":"query"}"#, "recordType"), (#"{"type":"query","recordType":"P","firesOn":[]}"#, "firesOn"),
        (#"{"type":"query","recordType":"P","firesOn":["read"]}"#, "firesOn"),
        (#"{"type":"query","recordType":"P","firesOnce":1}"#, "firesOnce"),
        (#"{"type":"database","notification":[]}"#, "notification"),
        (#"{"type":"database","notification":{"alertBody":1}}"#, "notification.alertBody"),
        (#"{"type":"database","notification":{"additionalFields":[1]}}"#, "notification.additionalFields"),
        (#"{"type":"database","notification":{"shouldBadge":"yes"}}"#, "notification.shouldBadge"),
        (#"{"type":"database","notification":{"sound":"a"}}"#, "notification.sound"),
    ])
    func `an invalid member is named`(_ text: String, _ field: String) throws {
        let error = #expect(throws: RecordError.self) { try Self.read(text) }
        #expect(error?.code == .badRequest)
        #expect(error?.details.contains { $0.key == "field" && $0.value == .text(field) } == true, "\(text)")
    }

    @Test func `a definition has at most the allowed bytes`() throws {
        func text(_ count: Int) -> String {
            let filler = String(repeating: "x", count: count)
            return #"{"type":"database","notification":{"alertBody":"\#(filler)"}}"#
        }
        let frame = text(0).utf8.count
        #expect(throws: Never.self) { try Self.read(text(SubscriptionDefinition.maxBytes - frame)) }
        let error = #expect(throws: RecordError.self) {
            try Self.read(text(SubscriptionDefinition.maxBytes - frame + 1))
        }
        #expect(error?.cause == .tooLarge)
    }

    @Test func `definitions watch the same if only their notifications differ`() throws {
        let first = try Self.read(#"{"type":"query","recordType":"Post","where":"n > 1"}"#)
        #expect(
            first.watchesTheSame(
                as: try Self.read(
                    #"{"type":"query","recordType":"Post","where":"n > 1","notification":{"alertBody":"x"}}"#)))
        for other in [
            #"{"type":"query","recordType":"Note","where":"n > 1"}"#, #"{"type":"query","recordType":"Post"}"#,
            #"{"type":"query","recordType":"Post","where":"n > 1","firesOn":["create"]}"#,
            #"{"type":"query","recordType":"Post","where":"n > 1","zone":"A"}"#,
        ] { #expect(!first.watchesTheSame(as: try Self.read(other)), "\(other)") }
    }
}
