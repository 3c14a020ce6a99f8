import HTTP
import RecordAPI

extension MatrixRow {
    /// Requests of named administrators about their own sessions: the server's token has none.
    private static func named(_ owner: Int, _ others: Int) -> [Int] {
        [401, 403, 403, 403, 403, 403, 403, owner, others, others, others, 400]
    }

    /// Requests of owners.
    private static func owners(_ status: Int) -> [Int] {
        .administrators(status, 403, 403, 403)
    }

    /// Requests of owners and developers.
    private static func managers(_ status: Int) -> [Int] {
        .administrators(status, status, 403, 403)
    }

    private static let credentials = #"{"name":"viewer-kx90","password":"matrix horse viewer-kx90"}"#

    static let administrators: [MatrixRow] = [
        MatrixRow("signInAdministrator", .post, "/administrators/sessions", credentials, .everybody(201)),
        MatrixRow(
            "signInAdministrator", .post, "/administrators/sessions",
            #"{"name":"viewer-kx90","password":"wrong horse viewer"}"#, .everybody(401),
            twin: ("viewer-kx90", "viewer-kx99")),
        MatrixRow(
            "signInAdministrator", .post, "/administrators/sessions",
            #"{"name":"disabled-kx90","password":"matrix horse disabled-kx90"}"#, .everybody(401)),
        MatrixRow("listAdministratorSessions", .get, "/administrators/sessions", named(200, 200)),
        MatrixRow("signOutAdministrator", .delete, "/administrators/sessions/current", named(204, 204)),
        MatrixRow(
            "endAdministratorSession", .delete, "/administrators/sessions/{administratorSession}", named(204, 404)),
        MatrixRow(
            "changeOwnPassword", .patch, "/administrators/me",
            #"{"password":"another matrix horse","currentPassword":"matrix horse owner-kx90"}"#, named(204, 403)),
        MatrixRow("listAdministrators", .get, "/administrators", owners(200)),
        MatrixRow(
            "addAdministrator", .post, "/administrators",
            #"{"name":"new","password":"another matrix horse","role":"owner"}"#, owners(201)),
        // The code is the only credential, and others are ignored.
        MatrixRow(
            "addFirstAdministrator", .post, "/administrators/first",
            #"{"code":"wrong","name":"first-kx90","password":"another matrix horse"}"#, .everybody(403), dead: 403),
        MatrixRow(
            "readAdministrator", .get, "/administrators/viewer-kx90", owners(200), twin: ("viewer-kx90", "viewer-kx99")),
        MatrixRow(
            "changeAdministrator", .patch, "/administrators/viewer-kx90", #"{"role":"owner"}"#, owners(200),
            twin: ("viewer-kx90", "viewer-kx99")),
        MatrixRow(
            "deleteAdministrator", .delete, "/administrators/viewer-kx90", owners(204),
            twin: ("viewer-kx90", "viewer-kx99")),
        MatrixRow("readAudit", .get, "/audit", owners(200)),
        MatrixRow("readAudit", .get, "/audit?scope=server", owners(200)),
        MatrixRow("readRequests", .get, "/requests", managers(200)),
        MatrixRow("readRequests", .get, "/requests?status=4xx&actor=owner-kx90&limit=2", managers(200)),
        MatrixRow("readSettings", .get, "/settings", managers(200)),
        MatrixRow("readStorage", .get, "/storage", .administrators(200, 200, 200, 200)),
        MatrixRow("metricsHistory", .get, "/metrics/history?period=day", .administrators(200, 200, 200, 200)),
        // Requests of the operator's commands, which have their own token.
        MatrixRow(
            "startBackup", .post, "/backup", #"{"path":"/nowhere/backup"}"#, .administrators(403, 403, 403, 403)),
        MatrixRow("readBackup", .get, "/backup", .administrators(403, 403, 403, 403)),
        MatrixRow("startBackupArchive", .post, "/backup/archive", owners(202)),
        MatrixRow("readBackupArchive", .get, "/backup/archive", owners(200)),
        MatrixRow("makeBackupTicket", .post, "/backup/archive/tickets", owners(201)),
        MatrixRow("downloadBackup", .get, "/backup/archive/file", owners(404)),
        MatrixRow("deleteBackupArchive", .delete, "/backup/archive", owners(200)),
        MatrixRow("listBackups", .get, "/backups", .administrators(200, 200, 200, 200)),
        MatrixRow(
            "noteBackupTest", .post, "/backup/tests", #"{"created":1,"problems":0}"#,
            .administrators(403, 403, 403, 403)),
        MatrixRow("cancelBackup", .delete, "/backup", .administrators(403, 403, 403, 403)),
    ]
}
