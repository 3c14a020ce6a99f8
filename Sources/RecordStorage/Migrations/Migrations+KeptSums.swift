/// Sums that triggers have kept until here.
extension Migrations {
    static let keptSumsName = "sums without triggers"

    /// Tables keep their sums themselves (`KeptSum`, `AuditTable`), so that a store on a server can do the same. The triggers
    /// that refuse to change the audit log stay.
    static let keptSums =
        auditCounts + """

            DROP TRIGGER IF EXISTS idempotency_made;
            DROP TRIGGER IF EXISTS idempotency_gone;
            DROP TRIGGER IF EXISTS asset_claim_made;
            DROP TRIGGER IF EXISTS asset_claim_used;
            DROP TRIGGER IF EXISTS asset_claim_counts;
            DROP TRIGGER IF EXISTS asset_claim_gone;
            """

    /// The part of it that the server's own file has too.
    static let auditCounts = """
        DROP TRIGGER IF EXISTS audit_came;
        DROP TRIGGER IF EXISTS audit_went;
        """
}
