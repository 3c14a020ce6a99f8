import HTTP
import RecordAPI

// Statuses are those of: anonymous, stranger, creator, member; key in scope, out of scope, read-only; owner, developer,
// editor, viewer, bootstrap token.
extension MatrixRow {
    private static let title = #"{"fields":{"title":"x"}}"#

    /// Public records, and lists that leave out hidden ones.
    static let records: [MatrixRow] = [
        MatrixRow(
            "readRecord", .get, "/records/Open/open-1", [200, 200, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200]),
        MatrixRow(
            "readRecord", .get, "/records/Good/good-1", [200, 200, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200]),
        MatrixRow(
            "readRecord", .get, "/records/Good/good-1?fields=cost,note",
            [200, 200, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200]),
        MatrixRow(
            "readRecord", .head, "/records/Open/open-1", [200, 200, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200]),
        MatrixRow(
            "createRecord", .post, "/records/Open", title, [401, 201, 201, 201, 201, 403, 403, 201, 201, 201, 403, 201]),
        MatrixRow(
            "createRecord", .post, "/records/Staff", title,
            [401, 403, 403, 201, 201, 403, 403, 201, 201, 201, 403, 201]),
        MatrixRow(
            "createRecord", .post, "/records/Drop", title, [201, 201, 201, 201, 201, 403, 403, 201, 201, 201, 403, 201]),
        MatrixRow(
            "createRecord", .post, "/records/Open", #"{"recordName":"own-1-kx83","fields":{"title":"x"}}"#,
            [401, 409, 409, 409, 409, 403, 403, 409, 409, 409, 403, 409], tellsTakenName: true),
        MatrixRow(
            "replaceRecord", .put, "/records/Open/open-1", title,
            [401, 403, 200, 403, 200, 403, 403, 200, 200, 200, 403, 200]),
        MatrixRow(
            "replaceRecord", .put, "/records/Own/own-1-kx83", title,
            [401, 409, 200, 409, 200, 403, 403, 200, 200, 200, 403, 200], tellsTakenName: true),
        MatrixRow(
            "replaceRecord", .put, "/records/Listed/listed-1-kx85", title,
            [401, 409, 200, 403, 200, 403, 403, 200, 200, 200, 403, 200], tellsTakenName: true),
        MatrixRow(
            "changeRecord", .patch, "/records/Good/good-1", title,
            [401, 200, 200, 200, 200, 404, 403, 200, 200, 200, 403, 200]),
        MatrixRow(
            "changeRecord", .patch, "/records/Good/good-1", #"{"fields":{"cost":5}}"#,
            [401, 403, 403, 200, 200, 404, 403, 200, 200, 200, 403, 200]),
        MatrixRow(
            "changeRecord", .patch, "/records/Good/good-1", title, headers: [("If-Match", #""none""#)],
            [401, 412, 412, 412, 412, 412, 403, 412, 412, 412, 403, 412]),
        MatrixRow(
            "deleteRecord", .delete, "/records/Open/open-1",
            [401, 403, 204, 403, 204, 404, 403, 204, 204, 204, 403, 204]),
        MatrixRow(
            "listRecords", .get, "/records/Open", [200, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
            counts: [1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
        MatrixRow(
            "listRecords", .get, "/records/Own", [401, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
            counts: [0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]),
        MatrixRow(
            "listRecords", .get, "/records/Staff", [401, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
            counts: [0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
        MatrixRow(
            "listRecords", .get, "/records/Listed", [200, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
            counts: [0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
        MatrixRow(
            "listRecords", .get, "/records/Drop", [401, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
            counts: [0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]),
        MatrixRow(
            "listRecords", .get, "/records/File", [401, 200, 200, 200, 200, 403, 200, 200, 200, 200, 200, 200],
            counts: [0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
        MatrixRow(
            "listRecords", .get, "/records/Note?database=private",
            [401, 200, 200, 200, 403, 403, 403, 400, 403, 403, 403, 400],
            counts: [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        MatrixRow(
            "listRecords", .get, "/records/Note?database=private&owner={creator}",
            [401, 403, 200, 403, 403, 403, 403, 200, 403, 403, 403, 200],
            counts: [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1]),
        MatrixRow("fetchChanges", .get, "/changes", .everybody(200)),
        MatrixRow(
            "fetchChanges", .get, "/changes?database=private&owner={creator}",
            [401, 403, 200, 403, 403, 403, 403, 200, 403, 403, 403, 200]),
        MatrixRow("createFeedTicket", .post, "/changes/tickets", .everybody(201)),
        MatrixRow(
            "createFeedTicket", .post, "/changes/tickets?database=private&owner={creator}",
            [401, 403, 201, 403, 403, 403, 403, 201, 403, 403, 403, 201]),
    ]

    /// Records that some callers may not see: hidden is like missing, in every method.
    static let recordsHidden: [MatrixRow] =
        [
            (
                "Own", "own-1-kx83", "own-9-kx99", [401, 404, 200, 404, 200, 404, 200, 200, 200, 200, 200, 200],
                [401, 404, 200, 404, 200, 404, 403, 200, 200, 200, 403, 200]
            ),
            (
                "Staff", "staff-1-kx84", "staff-9-kx99", [401, 404, 404, 200, 200, 404, 200, 200, 200, 200, 200, 200],
                [401, 404, 404, 200, 200, 404, 403, 200, 200, 200, 403, 200]
            ),
            (
                "Listed", "listed-1-kx85", "listed-9-kx99",
                [404, 404, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200],
                [401, 404, 200, 403, 200, 404, 403, 200, 200, 200, 403, 200]
            ),
            (
                "Drop", "drop-1-kx88", "drop-9-kx99", [401, 404, 200, 404, 200, 404, 200, 200, 200, 200, 200, 200],
                [401, 404, 403, 200, 200, 404, 403, 200, 200, 200, 403, 200]
            ),
        ].flatMap { (type: String, name: String, missing: String, read: [Int], write: [Int]) -> [MatrixRow] in
            let (path, twin) = ("/records/\(type)/\(name)", (hidden: name, missing: missing))
            return [
                MatrixRow("readRecord", .get, path, read, twin: twin),
                MatrixRow(
                    "readRecord", .get, path, headers: [("If-None-Match", "*")], read.map { $0 == 200 ? 304 : $0 },
                    twin: twin),
                MatrixRow("readField", .get, path + "/title", read.map { $0 == 200 ? 400 : $0 }, twin: twin),
                MatrixRow("changeRecord", .patch, path, title, write, twin: twin),
                MatrixRow(
                    "changeRecord", .patch, path, title, headers: [("If-Match", #""none""#)],
                    write.map { $0 == 200 || $0 == 404 ? 412 : $0 }, twin: twin),
                MatrixRow("deleteRecord", .delete, path, write.map { $0 == 200 ? 204 : $0 }, twin: twin),
            ]
        } + [
            MatrixRow(
                "readRecord", .get, "/records/Note/diary-1-kx89?database=private",
                [401, 404, 200, 404, 403, 403, 403, 400, 403, 403, 403, 400], twin: ("diary-1-kx89", "diary-9-kx99")),
            MatrixRow(
                "readRecord", .get, "/records/Note/diary-1-kx89?database=private&owner={creator}",
                [401, 403, 200, 403, 403, 403, 403, 200, 403, 403, 403, 200], twin: ("diary-1-kx89", "diary-9-kx99")),
            MatrixRow("readRecord", .get, "/records/Nothing/x", .everybody(404)),
        ]

    private static func batch(_ operation: String, _ type: String, _ name: String) -> String {
        #"{"atomic":false,"operations":[{"operationType":"\#(operation)","record":{"recordType":"\#(type)","recordName":"\#(name)","recordChangeTag":"zz","fields":{"title":{"value":"x"}}}}]}"#
    }

    /// A batch is answered, and its items are judged one by one.
    static let batches: [MatrixRow] = ["create", "update", "forceUpdate", "replace", "delete", "forceDelete"].flatMap {
        operation in
        [
            MatrixRow("modifyRecords", .post, "/records", batch(operation, "Own", "own-1-kx83"), .everybody(200)),
            MatrixRow("modifyRecords", .post, "/records", batch(operation, "Listed", "listed-1-kx85"), .everybody(200)),
            MatrixRow("modifyRecords", .post, "/records", batch(operation, "Staff", "staff-1-kx84"), .everybody(200)),
        ]
    }
}
