//! Ballista's own codecs, with the aggregate functions of this crate besides.

use std::fmt;
use std::sync::Arc;

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Extension, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use privacy_core::prf::Secret;

use super::functions::{bytes_of, function_of};

/// Logical plans, which go from a client to a scheduler. Neither needs the secret for them.
#[derive(Debug, Default)]
pub(super) struct LogicalCodec(BallistaLogicalExtensionCodec);

/// Physical plans, which go from a scheduler to executors.
#[derive(Default)]
pub(super) struct PhysicalCodec {
    inner: BallistaPhysicalExtensionCodec,
    /// Of an executor.
    secret: Option<Secret>,
}

impl PhysicalCodec {
    pub(super) fn with_secret(secret: Option<Secret>) -> Self {
        Self { secret, ..Self::default() }
    }
}

/// Shows no secret.
impl fmt::Debug for PhysicalCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhysicalCodec").field("has_secret", &self.secret.is_some()).finish_non_exhaustive()
    }
}

fn encode(function: &AggregateUDF, bytes: &mut Vec<u8>) {
    // Nothing is written for a function of DataFusion, which is then found by its name.
    bytes.extend(bytes_of(function).unwrap_or_default());
}

impl LogicalExtensionCodec for LogicalCodec {
    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.0.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.0.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        table: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        self.0.try_decode_table_provider(bytes, table, schema, context)
    }

    fn try_encode_table_provider(
        &self,
        table: &TableReference,
        provider: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        self.0.try_encode_table_provider(table, provider, bytes)
    }

    fn try_decode_file_format(&self, bytes: &[u8], context: &TaskContext) -> Result<Arc<dyn FileFormatFactory>> {
        self.0.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(&self, bytes: &mut Vec<u8>, format: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.0.try_encode_file_format(bytes, format)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        function_of(name, bytes, None)
    }

    fn try_encode_udaf(&self, function: &AggregateUDF, bytes: &mut Vec<u8>) -> Result<()> {
        encode(function, bytes);
        Ok(())
    }
}

impl PhysicalExtensionCodec for PhysicalCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.inner.try_decode(bytes, inputs, context, converter)
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        self.inner.try_encode(node, bytes, converter)
    }

    fn try_decode_udaf(&self, name: &str, bytes: &[u8]) -> Result<Arc<AggregateUDF>> {
        function_of(name, bytes, self.secret.as_ref())
    }

    fn try_encode_udaf(&self, function: &AggregateUDF, bytes: &mut Vec<u8>) -> Result<()> {
        encode(function, bytes);
        Ok(())
    }
}
