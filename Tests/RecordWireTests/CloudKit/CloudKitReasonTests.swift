import RecordModel
import RecordWire
import TestSupport
import Testing

/// The codes and reasons of errors in CloudKit's protocol.
@Suite struct CloudKitReasonTests {
    static let type = RecordTypeName("Post")
    static let denied: [(RecordError, String)] = [Action.create, .read, .write].compactMap { action in
        type.map {
            (
                .rejected(.user(16, roles: [:]), action, .records($0)),
                action == .create
                    ? "CREATE operation not permitted"
                    : action == .read ? "READ operation not permitted" : "WRITE operation not permitted"
            )
        }
    }

    @Test func `a denied action is named`() {
        #expect(Self.denied.count == 3)
        for (error, reason) in Self.denied {
            #expect(error.asCloudKit().code == .accessDenied)
            #expect(error.asCloudKit().reason == reason)
        }
    }

    @Test func `a caller without a credential needs one`() throws {
        let type = try #require(Self.type)
        let error = RecordError.rejected(.anonymous, .create, .records(type)).asCloudKit()
        #expect(error.code == .authenticationRequired)
        #expect(error.reason == "request needs authorization")
    }

    @Test func `records that exist, changed or are missing`() throws {
        let type = try #require(Self.type)
        let exists = RecordError.recordExists(as: type).asCloudKit()
        #expect(exists == RecordError(.conflict, "record to insert already exists"))
        #expect(RecordError.recordExists.asCloudKit() == exists)
        let changed = RecordError.preconditionFailed(utf8("{}"), wantsNone: false).asCloudKit()
        #expect(changed == RecordError(.conflict, "record to update already exists with a different change tag"))
        #expect(RecordError.recordNotFound.asCloudKit() == RecordError(.notFound, "Record not found"))
        #expect(
            RecordError.recordNotFound.asCloudKit(hasTag: true)
                == RecordError(.notFound, "recordChangeTag specified, but record not found"))
    }

    @Test func `details, causes and causes of native errors stay out`() {
        let error = RecordError(
            .badRequest, "Field 'x' is not marked queryable. An administrator adds the index", cause: .notIndexed,
            details: [("field", .text("x"))]
        ).asCloudKit()
        #expect(error == RecordError(.badRequest, "Field 'x' is not marked queryable"))
    }

    @Test func `only errors that pass say when to try again`() {
        #expect(RecordError(.throttled, "x", retryAfter: 3).asCloudKit().retryAfter == 3)
        #expect(RecordError(.tryAgainLater, "x", retryAfter: 3).asCloudKit().retryAfter == 3)
        #expect(RecordError(.conflict, "x", retryAfter: 3).asCloudKit().retryAfter == nil)
    }

    @Test(arguments: RecordError.Code.allCases) func `an error of an item has CloudKit's keys`(code: RecordError.Code) {
        let face = CloudKitFace(requestID: "u-1", baseURL: "", redirectURL: "https://example.org/signin")
        var json: [UInt8] = []
        CloudKitComposer.append(RecordError(code, "why"), recordName: "a\"b", as: face, to: &json)
        let object = (try? JSONValue.parse(json))?.object
        let redirect = code == .authenticationRequired ? ["redirectURL"] : []
        #expect(object?.keys == ["recordName", "reason", "serverErrorCode"] + redirect + ["uuid"])
        #expect(object?["recordName"]?.string == "a\"b")
        #expect(object?["uuid"]?.string == CloudKitUUID.text(ofRequest: "u-1"))
        #expect(RecordError.Code.allCases.map(\.rawValue).contains(object?["serverErrorCode"]?.string ?? ""))
    }
}
