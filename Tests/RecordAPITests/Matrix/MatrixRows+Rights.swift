import HTTP
import RecordAPI

extension MatrixRow {
    private static let grants = #"{"grants":{"_world":["READ","CREATE","WRITE"]}}"#

    static let schema: [MatrixRow] = [
        MatrixRow("readSchema", .get, "/schema", .administrators(200, 200, 200, 200)),
        MatrixRow("readType", .get, "/schema/types/Staff", .administrators(200, 200, 200, 200)),
        MatrixRow("readType", .get, "/schema/types/None", .administrators(404, 404, 404, 404)),
        MatrixRow("readAdvice", .get, "/schema/advice", .administrators(200, 200, 200, 200)),
        MatrixRow(
            "putSchema", .put, "/schema",
            MatrixTemplate.schema.replacing(
                #""Other":{"#, with: #""Note":{"fields":{"title":{"type":"STRING"}}},"Other":{"#),
            .administrators(200, 200, 403, 403)),
        MatrixRow(
            "addIndex", .post, "/schema/types/Open/indexes", #"{"fields":["n"]}"#,
            .administrators(201, 201, 403, 403)),
        MatrixRow(
            "changeField", .patch, "/schema/types/Open/fields/n", #"{"type":"INT64"}"#,
            .administrators(200, 200, 403, 403)),
        MatrixRow(
            "changeField", .patch, "/schema/types/Open/fields/n", #"{"name":"m"}"#,
            .administrators(200, 200, 403, 403)),
        MatrixRow(
            "renameType", .patch, "/schema/types/Open", #"{"name":"Opened"}"#, .administrators(200, 200, 403, 403)),
        MatrixRow(
            "renameType", .patch, "/schema/types/Open", #"{"name":"no name"}"#, .administrators(400, 400, 403, 403)),
        // The tokens of users and keys are those of development.
        MatrixRow(
            "promoteSchema", .post, "/schema/promotion?environment=production",
            [401, 401, 401, 401, 401, 401, 401, 200, 200, 403, 403, 200]),
        MatrixRow("promoteSchema", .post, "/schema/promotion", .administrators(400, 400, 403, 403)),
        MatrixRow("resetSchema", .post, "/schema/reset", .administrators(400, 400, 403, 403)),
        MatrixRow(
            "resetSchema", .post, "/schema/reset", #"{"deleteRecords":true}"#, .administrators(200, 200, 403, 403)),
        MatrixRow(
            "rollBackSchema", .post, "/schema/rollback", #"{"snapshot":1}"#, .administrators(404, 404, 403, 403)),
        MatrixRow("rollBackSchema", .post, "/schema/rollback", "{}", .administrators(400, 400, 403, 403)),
        MatrixRow("listSnapshots", .get, "/schema/snapshots", .administrators(200, 200, 200, 200)),
        MatrixRow("readSnapshot", .get, "/schema/snapshots/1", .administrators(404, 404, 404, 404)),
        MatrixRow("readSnapshot", .get, "/schema/snapshots/x", .administrators(404, 404, 404, 404)),
    ]

    static let rights: [MatrixRow] = [
        MatrixRow("listGrants", .get, "/grants", .administrators(200, 200, 200, 200)),
        MatrixRow("readGrants", .get, "/grants/Staff", .administrators(200, 200, 200, 200)),
        MatrixRow("putGrants", .put, "/grants/Staff", grants, .administrators(200, 200, 403, 403)),
        MatrixRow("listRoles", .get, "/roles", .administrators(200, 200, 200, 200)),
        MatrixRow(
            "readRole", .get, "/roles/Auditors_kx91", .administrators(200, 200, 200, 200),
            twin: ("Auditors_kx91", "Auditors_kx99")),
        MatrixRow(
            "putRole", .put, "/roles/editors", #"{"members":["{stranger}"]}"#, .administrators(200, 200, 403, 403)),
        MatrixRow(
            "deleteRole", .delete, "/roles/Auditors_kx91", .administrators(204, 204, 403, 403),
            twin: ("Auditors_kx91", "Auditors_kx99")),
        MatrixRow(
            "addRoleMember", .put, "/roles/editors/members/{stranger}", .administrators(200, 200, 403, 403)),
        MatrixRow(
            "addRoleMember", .put, "/roles/Auditors_kx91/members/{stranger}", .administrators(200, 200, 403, 403),
            twin: ("Auditors_kx91", "Auditors_kx99")),
        MatrixRow(
            "removeRoleMember", .delete, "/roles/editors/members/{member}", .administrators(200, 200, 403, 403)),
        MatrixRow(
            "explainAccess", .post, "/explain/access",
            #"{"caller":"{creator}","action":"read","recordType":"Staff","recordName":"staff-1-kx84"}"#,
            .administrators(200, 200, 200, 200), twin: ("staff-1-kx84", "staff-9-kx99")),
    ]

    static let operation: [MatrixRow] = [
        MatrixRow("live", .get, "/health/live", .everybody(200), dead: 200),
        MatrixRow("ready", .get, "/health/ready", .everybody(200), dead: 200),
        MatrixRow("limits", .get, "/limits", .everybody(200), dead: 200),
        MatrixRow("openAPI", .get, "/openapi.json", .everybody(200), dead: 200),
        MatrixRow("metrics", .get, "/metrics", .administrators(200, 200, 200, 200)),
    ]
}
