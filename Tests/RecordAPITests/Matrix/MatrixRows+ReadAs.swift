import HTTP
import RecordAPI

extension MatrixRow {
    /// Reads with `as`: never more than the administrator may read itself.
    static let readAs: [MatrixRow] = [
        MatrixRow("listRecords", .get, "/records/Open?as={stranger}", .administrators(200, 200, 200, 200)),
        MatrixRow("readRecord", .get, "/records/Open/open-1?as=anonymous", .administrators(200, 200, 200, 200)),
        MatrixRow("queryRecords", .get, "/query/Open?as={stranger}", .administrators(200, 200, 200, 200)),
        // Looking up a name takes the right to list accounts.
        MatrixRow("queryRecords", .get, "/query/Open?as=nobody", .administrators(404, 404, 400, 400)),
        MatrixRow("queryRecords", .get, "/query/Open?as=administrator", .administrators(400, 400, 400, 400)),
        MatrixRow(
            "queryRecordsByBody", .post, "/query?as=anonymous", #"{"recordType":"Open"}"#,
            .administrators(200, 200, 200, 200)),
        MatrixRow(
            "listRecords", .get, "/records/Open?database=private&as={creator}", .administrators(200, 403, 403, 403)),
        MatrixRow(
            "listRecords", .get, "/records/Open?database=private&owner={creator}&as={creator}",
            .administrators(200, 403, 403, 403)),
        MatrixRow(
            "listRecords", .get, "/records/Open?database=private&owner={creator}&as={stranger}",
            .administrators(403, 403, 403, 403)),
    ]
}
