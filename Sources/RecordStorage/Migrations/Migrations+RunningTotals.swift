/// Sums without triggers.
extension Migrations {
    static let runningTotalsName = "sums without triggers"

    /// Removes the triggers that updated sums. `RunningTotal` and `AuditTable` update the sums instead, which also
    /// works for a store on a database server. The triggers that prevent changes of the audit log stay.
    static let runningTotals =
        auditCounts + """

            DROP TRIGGER IF EXISTS idempotency_made;
            DROP TRIGGER IF EXISTS idempotency_gone;
            DROP TRIGGER IF EXISTS asset_claim_made;
            DROP TRIGGER IF EXISTS asset_claim_used;
            DROP TRIGGER IF EXISTS asset_claim_counts;
            DROP TRIGGER IF EXISTS asset_claim_gone;
            """

    /// The statements that also run on the server's own file.
    static let auditCounts = """
        DROP TRIGGER IF EXISTS audit_came;
        DROP TRIGGER IF EXISTS audit_went;
        """
}
