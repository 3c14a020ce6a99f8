import Foundation
import RecordWire
import Testing

@Suite struct CloudKitUUIDTests {
    @Test(
        arguments: [
            // The server's own form.
            ("f2f3c1c0000030c", "f2f3c1c0-0000-830c-8000-000000000000"),
            ("0123456789abcde", "01234567-89ab-8cde-8000-000000000000"),
            // A client's UUIDs.
            ("8F0B2F0E-6C5C-4B2F-9A53-0D4A8F1F2C11", "8f0b2f0e-6c5c-4b2f-9a53-0d4a8f1f2c11"),
            ("8f0b2f0e6c5c4b2f9a530d4a8f1f2c11", "8f0b2f0e-6c5c-4b2f-9a53-0d4a8f1f2c11"),
        ])
    func `the UUID contains the ID`(id: String, expected: String) {
        #expect(CloudKitUUID.text(ofRequest: id) == expected)
    }

    @Test(
        arguments: [
            "", "a", "request-1", "request-2", "f2f3c1c0000030", "f2f3c1c0000030g", String(repeating: "x", count: 64),
            "8f0b2f0e-6c5c-4b2f-9a53-0d4a8f1f2c1g", "8f0b2f0e-6c5c-4b2f-9a530-d4a8f1f2c11", "日本",
        ])
    func `any other ID has a UUID of version 8`(id: String) throws {
        let text = CloudKitUUID.text(ofRequest: id)
        #expect(UUID(uuidString: text)?.uuidString.lowercased() == text)
        #expect(
            try #/[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}/#.wholeMatch(in: text) != nil,
            "\(text)")
        #expect(text == CloudKitUUID.text(ofRequest: id) && text != CloudKitUUID.text(ofRequest: id + "1"))
    }
}
