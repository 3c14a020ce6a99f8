// The actions in the audit log. The server rejects a condition for any other; Tests/console/observation.test.js compares them.

export const actions = [
    "schema.put", "schema.promote", "schema.rollback", "schema.reset", "schema.addIndex", "records.preserve", "records.import", "container.export", "grants.put", "role.put",
    "role.delete", "key.create", "key.change", "key.rotate", "key.revoke", "cloudKitToken.create", "cloudKitToken.change",
    "cloudKitToken.revoke", "key.outOfScope", "webhook.create", "webhook.change", "webhook.rotate", "webhook.pause", "webhook.resume",
    "webhook.replay", "webhook.delete", "webhook.disable", "invitation.create", "invitation.delete", "user.create", "user.signUp",
    "user.upgrade", "user.rename", "user.password", "user.disable", "user.enable", "user.delete", "user.privateDatabase",
    "session.endAll", "session.end", "session.failed", "job.pause", "job.resume", "job.cancel", "job.delete", "schedule.put", "schedule.run",
    "schedule.delete", "schedule.pause", "administrator.create", "administrator.change", "administrator.password", "administrator.delete",
    "administrator.token", "administrator.signIn", "administrator.signOut", "administrator.failed", "backup.download",
];
