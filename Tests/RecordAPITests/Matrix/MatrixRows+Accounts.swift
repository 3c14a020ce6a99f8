import HTTP
import RecordAPI

extension MatrixRow {
    private static let password = #""password":"matrix horse""#
    /// Requests that only sessions of accounts may send: other tokens have no session.
    private static func session(_ status: Int) -> [Int] {
        [401, status, status, status, 400, 400, 400, 400, 400, 400, 400, 400]
    }

    static let accounts: [MatrixRow] = [
        MatrixRow("signUp", .post, "/users", #"{"name":"new",\#(password)}"#, .everybody(201)),
        MatrixRow("signUp", .post, "/users", #"{"name":"ann",\#(password)}"#, .everybody(409), tellsTakenName: true),
        MatrixRow("signUpAnonymously", .post, "/users/anonymous", .everybody(403)),
        MatrixRow("readMe", .get, "/users/me", [401, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200]),
        MatrixRow(
            "changeMe", .patch, "/users/me", #"{"name":"other","currentPassword":"matrix horse"}"#, session(200)),
        MatrixRow("changeMe", .patch, "/users/me", #"{"name":"other","currentPassword":"wrong horse"}"#, session(403)),
        MatrixRow("removeMe", .delete, "/users/me", "{\(password)}", session(204)),
        MatrixRow("removeMe", .delete, "/users/me", #"{"password":"wrong horse"}"#, session(403)),
        MatrixRow("listUsers", .get, "/users", .administrators(200, 200, 403, 403)),
        MatrixRow("listUsers", .get, "/users?search=a", .administrators(200, 200, 403, 403)),
        MatrixRow("readUser", .get, "/users/{stranger}", .administrators(200, 200, 403, 403)),
        MatrixRow(
            "changeUser", .patch, "/users/{stranger}", #"{"password":"another horse"}"#,
            .administrators(200, 403, 403, 403)),
        MatrixRow("changeUser", .patch, "/users/{member}", #"{"disabled":true}"#, .administrators(200, 200, 403, 403)),
        MatrixRow("removeUser", .delete, "/users/{stranger}", .administrators(204, 204, 403, 403)),
        MatrixRow(
            "removeUser", .delete, "/users/_00000000000000000000000000000000", .administrators(404, 404, 403, 403)),
    ]

    static let userSessions: [MatrixRow] = [
        MatrixRow("listUserSessions", .get, "/users/{creator}/sessions", .administrators(200, 200, 403, 403)),
        MatrixRow(
            "listUserSessions", .get, "/users/_00000000000000000000000000000000/sessions",
            .administrators(404, 404, 403, 403)),
        MatrixRow(
            "endUserSession", .delete, "/users/{creator}/sessions/{session}", .administrators(204, 204, 403, 403)),
        MatrixRow("endUserSession", .delete, "/users/{member}/sessions/{session}", .administrators(404, 404, 403, 403)),
        MatrixRow("endUserSessions", .delete, "/users/{creator}/sessions", .administrators(204, 204, 403, 403)),
    ]

    static let sessions: [MatrixRow] = [
        MatrixRow("signIn", .post, "/sessions", #"{"name":"ann",\#(password)}"#, .everybody(201)),
        MatrixRow("signIn", .post, "/sessions", #"{"name":"ann","password":"wrong horse"}"#, .everybody(401)),
        MatrixRow("signIn", .post, "/sessions", #"{"name":"dora",\#(password)}"#, .everybody(403)),
        MatrixRow("signIn", .post, "/sessions", #"{"name":"dora","password":"wrong horse"}"#, .everybody(401)),
        MatrixRow("listSessions", .get, "/sessions", session(200)),
        MatrixRow(
            "endSession", .delete, "/sessions/{session}", [401, 404, 204, 404, 400, 400, 400, 400, 400, 400, 400, 400]),
        MatrixRow("endSessions", .delete, "/sessions?others=true", session(204)),
        MatrixRow("signOut", .delete, "/sessions/current", session(204)),
        MatrixRow("rotateSession", .post, "/sessions/current/rotate", session(200)),
    ]

    static let invitations: [MatrixRow] = [
        MatrixRow("invite", .post, "/invitations", #"{"roles":["editors"]}"#, .administrators(201, 201, 403, 403)),
        MatrixRow("listInvitations", .get, "/invitations", .administrators(200, 200, 403, 403)),
        MatrixRow("removeInvitation", .delete, "/invitations/{invitation}", .administrators(204, 204, 403, 403)),
        MatrixRow("removeInvitation", .delete, "/invitations/none", .administrators(404, 404, 403, 403)),
    ]

    static let keys: [MatrixRow] = [
        MatrixRow("listKeys", .get, "/keys", .administrators(200, 200, 403, 403)),
        MatrixRow(
            "createKey", .post, "/keys", #"{"name":"fresh","scope":{"actions":["read","create","write"]}}"#,
            .administrators(201, 201, 403, 403)),
        MatrixRow("readKey", .get, "/keys/{key}", .administrators(200, 200, 403, 403)),
        MatrixRow("readKey", .get, "/keys/none", .administrators(404, 404, 403, 403)),
        MatrixRow("changeKey", .patch, "/keys/{key}", #"{"name":"fresh"}"#, .administrators(200, 200, 403, 403)),
        MatrixRow("revokeKey", .delete, "/keys/{key}", .administrators(204, 204, 403, 403)),
        MatrixRow("rotateKey", .post, "/keys/{key}/rotate", #"{"overlap":0}"#, .administrators(200, 200, 403, 403)),
    ]

    static let cloudKitTokens: [MatrixRow] = [
        MatrixRow("listCloudKitTokens", .get, "/cloudkit/tokens", .administrators(200, 200, 403, 403)),
        MatrixRow(
            "createCloudKitToken", .post, "/cloudkit/tokens", #"{"name":"fresh"}"#, .administrators(201, 201, 403, 403)),
        MatrixRow("readCloudKitToken", .get, "/cloudkit/tokens/{app}", .administrators(200, 200, 403, 403)),
        MatrixRow("readCloudKitToken", .get, "/cloudkit/tokens/none", .administrators(404, 404, 403, 403)),
        MatrixRow(
            "changeCloudKitToken", .patch, "/cloudkit/tokens/{app}", #"{"name":"fresh"}"#,
            .administrators(200, 200, 403, 403)),
        MatrixRow("revokeCloudKitToken", .delete, "/cloudkit/tokens/{app}", .administrators(204, 204, 403, 403)),
        // The sign-in page has no credential, and those of others are ignored.
        MatrixRow("readWebSignIn", .get, "/cloudkit/sign-in/{app}", .everybody(200), dead: 200),
        MatrixRow("readWebSignIn", .get, "/cloudkit/sign-in/{app}?origin=null", .everybody(403), dead: 403),
        MatrixRow("readWebSignIn", .get, "/cloudkit/sign-in/none", .everybody(404), dead: 404),
        MatrixRow(
            "signInToWeb", .post, "/cloudkit/sign-in/{app}", #"{"name":"ann",\#(password)}"#, .everybody(201)),
        MatrixRow(
            "signInToWeb", .post, "/cloudkit/sign-in/{app}", #"{"name":"ann","password":"wrong horse"}"#,
            .everybody(401)),
        MatrixRow(
            "signInToWeb", .post, "/cloudkit/sign-in/{app}", #"{"name":"dora",\#(password)}"#, .everybody(403)),
    ]
}
