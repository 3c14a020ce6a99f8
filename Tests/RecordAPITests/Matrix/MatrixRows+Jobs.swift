import HTTP
import RecordAPI

extension MatrixRow {
    /// Jobs belong to their callers; administrators and keys with the right `readSchema` see all. `{job}` was started by
    /// an administrator and has ended.
    static let jobs: [MatrixRow] =
        [
            MatrixRow("listJobs", .get, "/jobs", [401, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200]),
            // The job of the world is no import and no export.
            MatrixRow("listRejections", .get, "/jobs/{job}/rejections", Array(repeating: 404, count: 12)),
            MatrixRow("readExport", .get, "/jobs/{job}/file", Array(repeating: 404, count: 12)),
            MatrixRow("importRecords", .post, "/imports", "{}", Array(repeating: 400, count: 12)),
            MatrixRow("previewImport", .post, "/imports/preview", "{}", Array(repeating: 400, count: 12)),
            MatrixRow("exportRecords", .post, "/exports", "{}", Array(repeating: 400, count: 12)),
            job("readJob", .get, "", [404, 404, 404, 404, 404, 404, 404, 200, 200, 200, 200, 200]),
            // Editors and viewers see the job, but may not change it.
            MatrixRow(
                "deleteJob", .delete, "/jobs/{job}", [404, 404, 404, 404, 404, 404, 404, 204, 204, 403, 403, 204]),
        ]
        + ["pause", "resume", "cancel"].map { verb in
            MatrixRow(
                "\(verb)Job", .post, "/jobs/{job}/\(verb)",
                [404, 404, 404, 404, 404, 404, 404, 409, 409, 403, 403, 409])
        }

    private static func job(_ route: String, _ method: HTTPMethod, _ path: String, _ live: [Int]) -> MatrixRow {
        MatrixRow(
            route, method, "/jobs/{job}\(path)", nil, live, twin: ("{job}", "0123456789abcdef0123456789abcdef"))
    }
}
