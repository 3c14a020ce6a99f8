import Cryptography
import HTTP
import RecordAPI

extension MatrixRow {
    private static let file = "/records/File/file-1-kx87"

    static let assets: [MatrixRow] = [
        MatrixRow(
            "readField", .get, file + "/file", [401, 404, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200],
            twin: ("file-1-kx87", "file-9-kx99")),
        MatrixRow(
            "readField", .get, file + "/file", headers: [("Range", "bytes=0-10")],
            [401, 404, 206, 206, 206, 404, 206, 206, 206, 206, 206, 206], twin: ("file-1-kx87", "file-9-kx99")),
        MatrixRow(
            "readRecord", .get, file, [401, 404, 200, 200, 200, 404, 200, 200, 200, 200, 200, 200],
            twin: ("file-1-kx87", "file-9-kx99")),
        // Readers of the record get the URL, which is the only credential for the bytes.
        MatrixRow(
            "readAsset", .get, "{asset}", .everybody(200), dead: 200,
            shows: ["assetsecret", "scan-kx87", SHA256.hash(utf8: "assetsecret of the file").hex]),
        MatrixRow("readAsset", .get, "/assets/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", .everybody(404), dead: 404),
        MatrixRow(
            "uploadAsset", .post, "/assets?filename=a.txt", "bytes", headers: [("Content-Type", "text/plain")],
            [401, 201, 201, 201, 201, 403, 403, 201, 201, 201, 403, 201]),
        MatrixRow(
            "uploadAsset", .post, "/assets?database=private&owner={creator}", "bytes",
            [401, 403, 201, 403, 403, 403, 403, 201, 403, 403, 403, 201]),
    ]

    static let uploads: [MatrixRow] = [
        MatrixRow("describeUploads", .options, "/assets/uploads", .everybody(204), dead: 204),
        MatrixRow(
            "createUpload", .post, "/assets/uploads", headers: [TusTests.version, ("Upload-Length", "5")],
            [401, 201, 201, 201, 201, 403, 403, 201, 201, 201, 403, 201]),
        MatrixRow(
            "uploadOffset", .head, "{upload}", headers: [TusTests.version],
            [404, 404, 200, 404, 404, 404, 404, 404, 404, 404, 404, 404]),
        MatrixRow(
            "readUpload", .get, "{upload}", [404, 404, 200, 404, 404, 404, 404, 404, 404, 404, 404, 404]),
        MatrixRow(
            "continueUpload", .patch, "{upload}", "hello ",
            headers: [TusTests.version, TusTests.part, ("Upload-Offset", "0")],
            [401, 404, 204, 404, 404, 403, 403, 404, 404, 404, 403, 404]),
        MatrixRow(
            "terminateUpload", .delete, "{upload}", headers: [TusTests.version],
            [404, 404, 204, 404, 404, 404, 404, 404, 404, 404, 404, 404]),
    ]
}
