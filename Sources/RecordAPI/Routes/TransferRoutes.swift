internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes of imports and exports.
enum TransferRoutes {
    static let routes: [Route] = [
        Route(
            "POST /imports", "importRecords", .jobs, "Writes the records of an uploaded file, as a job", rate: .write,
            body: .json("Import"),
            responses: [
                .json(202, "Job", "The job; Location is its path"),
                .error(400, "The file is not an upload of the caller, or the mapping does not fit"),
            ]
        ) { call in try await importFile(&call) },
        Route(
            "POST /imports/preview", "previewImport", .jobs,
            "Shows what an import would make of the first rows of an uploaded file; nothing is written", rate: .read,
            body: .json("ImportPreviewInput"),
            responses: [.json(200, "ImportPreview", "What the file is, a mapping, and the first rows")]
        ) { call in try await preview(&call) },
        Route(
            "GET /jobs/{id}/rejections", "listRejections", .jobs,
            "Lists the rows that an import has rejected, in the order of the file", rate: .read,
            query: ["limit", "cursor"],
            responses: [.json(200, "Rejections", "A page of rows with the reasons")]
        ) { call in try rejections(call) },
        Route(
            "POST /exports", "exportRecords", .jobs, "Writes the records of a query to a file, as a job", rate: .write,
            body: .json("Export"), responses: [.json(202, "Job", "The job; Location is its path")]
        ) { call in try await export(&call) },
        Route(
            "GET /jobs/{id}/file", "readExport", .jobs, "Reads the file of an export that has succeeded", rate: .read,
            headers: ServedContent.headers,
            responses: [
                .bytes(200, "The file"), .bytes(206, "The range, or several as multipart/byteranges"), .unchanged,
                .error(409, "The job has not succeeded"), .error(416, "Every range begins after the end"),
            ]
        ) { call in try await file(call) },
    ]

    private static let maxBodyBytes = 1_048_576

    /// `POST /imports`
    private static func importFile(_ call: inout RecordCall) async throws -> HTTPResponse {
        var (file, task) = try await call.object(keys: ["file"] + ImportTask.keys, upTo: maxBodyBytes) {
            object throws(RecordError) in (try asset(object), try ImportTask(object))
        }
        task.isRateExempt = call.rate.isExempt
        let job = try await call.reader.transfers.importFile(file, task, by: call.actor, in: try call.address())
        return accepted(job, call)
    }

    /// `POST /imports/preview`
    private static func preview(_ call: inout RecordCall) async throws -> HTTPResponse {
        let (file, input) = try await call.object(keys: ["file"] + ImportPreviewInput.keys, upTo: maxBodyBytes) {
            object throws(RecordError) in (try asset(object), try ImportPreviewInput(object))
        }
        return .json(
            try await call.reader.transfers.preview(file, input, by: call.caller, in: try call.address()))
    }

    /// `GET /jobs/{id}/rejections`
    private static func rejections(_ call: RecordCall) throws -> HTTPResponse {
        var line: Int64 = 0
        if let cursor = call.query["cursor"] {
            guard let number = Int64(cursor), number >= 0 else {
                throw RecordError.badRequest(
                    "'cursor' is that of the page before", cause: .tokenInvalid,
                    details: [("parameter", .text("cursor"))])
            }
            line = number
        }
        let page = try call.reader.transfers.rejections(
            of: call.parameters[0], after: line, limit: try call.query.limit(call.database.limits), for: call.caller)
        var object = JSONObject([("rejections", .array(page.rows))])
        if let next = page.next { object["cursor"] = .string("\(next)") }
        return .json(.object(object))
    }

    /// `POST /exports`
    private static func export(_ call: inout RecordCall) async throws -> HTTPResponse {
        let task = try await call.object(keys: ExportTask.keys, upTo: maxBodyBytes) { object throws(RecordError) in
            try ExportTask(object)
        }
        let job = try await call.reader.transfers.export(task, by: call.actor, in: try call.address())
        return accepted(job, call)
    }

    /// `GET /jobs/{id}/file`
    private static func file(_ call: RecordCall) async throws -> HTTPResponse {
        let file = try call.reader.transfers.result(of: call.parameters[0], for: call.caller)
        var content = try await ServedContent(file, for: call)
        content.receiver = try TransferSender(call)
        return try content.response(to: call.request)
    }

    private static func accepted(_ job: JobInfo, _ call: RecordCall) -> HTTPResponse {
        var response = HTTPResponse.json(job.json(for: call.caller), status: .accepted)
        response.fields.append(.location, call.location(of: "/jobs/\(job.name)"))
        return response
    }

    /// Reads `file`: the value that an upload has returned.
    private static func asset(_ object: JSONObject) throws(RecordError) -> Asset {
        guard let file = object["file"]?.object, let checksum = file["fileChecksum"]?.string,
            let size = file["size"]?.integer, let receipt = file["receipt"]?.string
        else {
            throw .badRequest(
                "'file' is the value that POST /assets or a resumable upload has returned, with fileChecksum, size and receipt",
                details: [("path", .text("file"))])
        }
        return Asset(fileChecksum: checksum, size: size, receipt: receipt)
    }

    static let schemas: StaticString = #"""
        "UploadedFile":{"type":"object","required":["fileChecksum","size","receipt"],
        "description":"The value that an upload of the caller to the same database has returned","properties":{
        "fileChecksum":{"type":"string"},"size":{"type":"integer"},"receipt":{"type":"string"}}},
        "TableFormat":{"type":"object","description":"How a file has a table; the default is CSV of RFC 4180"},
        "TableMapping":{"type":"object","required":["recordType","columns"],
        "description":"Which column becomes which field","properties":{
        "recordType":{"type":"string"},"timeZone":{"type":"string"},
        "columns":{"type":"array","items":{"type":"object","required":["column"]}}}},
        "Import":{"type":"object","required":["file","format"],"properties":{
        "file":{"$ref":"#/components/schemas/UploadedFile"},
        "format":{"type":"string","enum":["jsonLines","table","container"]},
        "recordType":{"type":"string","description":"JSON lines: the type of records that name none"},
        "encoding":{"type":"string","description":"Such as windows-1252; UTF-8 by default"},
        "table":{"$ref":"#/components/schemas/TableFormat"},"mapping":{"$ref":"#/components/schemas/TableMapping"},
        "existing":{"type":"string","enum":["reject","skip","replace","update"],"default":"reject",
        "description":"What happens to a record that exists"},
        "dryRun":{"type":"boolean","default":false},
        "maxRejected":{"type":"integer","minimum":0,"description":"The job fails after more rejected rows"}}},
        "ImportPreviewInput":{"type":"object","required":["file","format"],"properties":{
        "file":{"$ref":"#/components/schemas/UploadedFile"},
        "format":{"type":"string","enum":["jsonLines","table","container"]},"recordType":{"type":"string"},
        "encoding":{"type":"string"},"table":{"$ref":"#/components/schemas/TableFormat"},
        "mapping":{"$ref":"#/components/schemas/TableMapping"}}},
        "ImportPreview":{"type":"object","properties":{
        "encoding":{"type":"string"},"table":{"$ref":"#/components/schemas/TableFormat"},
        "mapping":{"$ref":"#/components/schemas/TableMapping"},
        "rows":{"type":"array","items":{"type":"object"}},"container":{"type":"object"},
        "counts":{"type":"object"},"problems":{"type":"array","items":{"type":"object"}}}},
        "Rejections":{"type":"object","required":["rejections"],"properties":{
        "rejections":{"type":"array","items":{"type":"object","required":["line","serverErrorCode","reason"],
        "properties":{"line":{"type":"integer","description":"The line on which the row begins, from 1"},
        "serverErrorCode":{"type":"string"},"reason":{"type":"string"},"details":{"type":"object"}}}},
        "cursor":{"type":"string","description":"Absent at the end"}}},
        "Export":{"type":"object","required":["format"],"properties":{
        "format":{"type":"string","enum":["jsonLines","table","container"]},"recordType":{"type":"string"},
        "where":{"type":"string"},"args":{"type":"array","items":{"$ref":"#/components/schemas/Argument"}},
        "sort":{"type":"string"},"fields":{"type":"array","items":{"type":"string"}},
        "table":{"$ref":"#/components/schemas/TableFormat"}}}
        """#
}
