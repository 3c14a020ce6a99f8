internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for the links of shares. Share records themselves are read and written with the routes of records.
enum ShareRoutes {
    static let routes: [Route] = [
        Route(
            "GET /shares/{guid}", "readShare", .zones, "Shows what the link of a share leads to", rate: .read,
            authentication: .bearerAndPath,
            responses: [
                .json(200, "Share", "The share"), .error(404, "There is no share with this link for the caller"),
            ]
        ) { call in .json(json(try call.reader.shares.resolve(call.parameters[0], for: call.caller))) },
        Route(
            "POST /shares/{guid}/accept", "acceptShare", .zones, "Lets the caller join a share", rate: .write,
            authentication: .bearerAndPath,
            responses: [
                .json(200, "Share", "The share"), .error(404, "There is no share with this link for the caller"),
            ]
        ) { call in
            let share = try await call.database.shares.accept(
                call.parameters[0], by: call.caller, rightsVersion: call.rightsVersion)
            return .json(json(share))
        },
    ]

    private static func json(_ share: ShareInfo) -> JSONValue {
        var object = JSONObject([
            ("shortGUID", .string(share.guid)), ("zoneName", .string(share.address.zone.text)),
            ("ownerRecordName", .string(share.owner)), ("shareRecordName", .string(share.share)),
            ("participantType", .string(share.kind.word)), ("permission", .string(share.permission.word)),
        ])
        if let root = share.root { object["rootRecordName"] = .string(root) }
        if let status = share.status { object["acceptanceStatus"] = .string(status.word) }
        return .object(object)
    }

    static let schemas: StaticString = #"""
        "SharePermission":{"type":"string","enum":["NONE","READ_ONLY","READ_WRITE"]},
        "Share":{"type":"object","required":["shortGUID","zoneName","ownerRecordName","shareRecordName",
        "participantType","permission"],"properties":{
        "shortGUID":{"type":"string"},"zoneName":{"type":"string"},
        "ownerRecordName":{"type":"string","description":"The user who owns the zone"},
        "shareRecordName":{"type":"string"},
        "rootRecordName":{"type":"string","description":"The record at the top of the hierarchy; absent if the whole zone is shared"},
        "participantType":{"type":"string","enum":["OWNER","USER","PUBLIC_USER"]},
        "permission":{"$ref":"#/components/schemas/SharePermission"},
        "acceptanceStatus":{"type":"string","enum":["INVITED","ACCEPTED"],"description":"Absent for a caller that the share does not name"}}}
        """#
}
