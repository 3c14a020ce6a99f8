import RecordWire
import Testing

@testable import fogbase

@Suite struct ChangesCommandTests {
    private func line(_ type: String, _ data: String, id: String) throws -> JSONObject? {
        try ChangesCommand.line(for: ServerSentEvent(type: type, data: Array(data.utf8), lastID: id))
    }

    @Test func `a line has the event, its data and its token`() throws {
        let line = try #require(try line("change", #"{"recordName":"a"}"#, id: "t1"))
        #expect(JSONValue.object(line) == ["event": "change", "data": ["recordName": "a"], "token": "t1"])
    }

    @Test func `a reset has no token`() throws {
        let line = try #require(try line("reset", #"{"reason":"x"}"#, id: ""))
        #expect(line["event"] == "reset" && line["token"] == nil)
    }

    @Test func `an end is a failure with the server's reason`() throws {
        #expect(throws: Failure("The token is not valid.")) {
            try line("end", #"{"reason":"The token is not valid"}"#, id: "t1")
        }
        // The command connects again after an error that passes.
        #expect(try line("end", #"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"Later"}"#, id: "") == nil)
    }
}
