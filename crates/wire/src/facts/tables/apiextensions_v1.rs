//! The types of `apiextensions_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ConversionRequest: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ConversionRequest", &[
    one(2, "desiredAPIVersion", &STRING, REQUIRED),
    list(3, "objects", &apimachinery::RawExtension, REQUIRED).with(&[ListAtomic]),
    one(1, "uid", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ConversionResponse: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ConversionResponse", &[
    list(2, "convertedObjects", &apimachinery::RawExtension, REQUIRED).with(&[ListAtomic]),
    one(3, "result", &apimachinery::Status, REQUIRED),
    one(1, "uid", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ConversionReview: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ConversionReview", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "request", &ConversionRequest, POINTER | OMITEMPTY),
    one(2, "response", &ConversionResponse, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CustomResourceColumnDefinition: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition", &[
    one(4, "description", &STRING, OMITEMPTY),
    one(3, "format", &STRING, OMITEMPTY),
    one(6, "jsonPath", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
    one(5, "priority", &INT32, OMITEMPTY),
    one(2, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CustomResourceConversion: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion", &[
    one(1, "strategy", &STRING, REQUIRED),
    one(2, "webhook", &WebhookConversion, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CustomResourceDefinition: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &CustomResourceDefinitionSpec, REQUIRED),
    one(3, "status", &CustomResourceDefinitionStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CustomResourceDefinitionCondition: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(6, "observedGeneration", &INT64, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CustomResourceDefinitionList: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &CustomResourceDefinition, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CustomResourceDefinitionNames: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames", &[
    list(6, "categories", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(4, "kind", &STRING, REQUIRED),
    one(5, "listKind", &STRING, OMITEMPTY),
    one(1, "plural", &STRING, REQUIRED),
    list(3, "shortNames", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "singular", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CustomResourceDefinitionSpec: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec", &[
    one(9, "conversion", &CustomResourceConversion, POINTER | OMITEMPTY),
    one(1, "group", &STRING, REQUIRED),
    one(3, "names", &CustomResourceDefinitionNames, REQUIRED),
    one(10, "preserveUnknownFields", &BOOL, OMITEMPTY),
    one(4, "scope", &STRING, REQUIRED),
    list(7, "versions", &CustomResourceDefinitionVersion, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static CustomResourceDefinitionStatus: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus", &[
    one(2, "acceptedNames", &CustomResourceDefinitionNames, 0),
    list(1, "conditions", &CustomResourceDefinitionCondition, 0).with(&[ListMap(&["type"])]),
    one(4, "observedGeneration", &INT64, OMITEMPTY),
    list(3, "storedVersions", &STRING, 0).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static CustomResourceDefinitionVersion: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion", &[
    list(6, "additionalPrinterColumns", &CustomResourceColumnDefinition, OMITEMPTY).with(&[ListAtomic]),
    one(7, "deprecated", &BOOL, OMITEMPTY),
    one(8, "deprecationWarning", &STRING, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    one(4, "schema", &CustomResourceValidation, POINTER | OMITEMPTY),
    list(9, "selectableFields", &SelectableField, OMITEMPTY).with(&[ListAtomic]),
    one(2, "served", &BOOL, REQUIRED),
    one(3, "storage", &BOOL, REQUIRED),
    one(5, "subresources", &CustomResourceSubresources, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CustomResourceSubresourceScale: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale", &[
    one(3, "labelSelectorPath", &STRING, POINTER | OMITEMPTY),
    one(1, "specReplicasPath", &STRING, REQUIRED),
    one(2, "statusReplicasPath", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CustomResourceSubresourceStatus: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus", &[]);

#[rustfmt::skip]
pub(super) static CustomResourceSubresources: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources", &[
    one(2, "scale", &CustomResourceSubresourceScale, POINTER | OMITEMPTY),
    one(1, "status", &CustomResourceSubresourceStatus, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CustomResourceValidation: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation", &[
    one(1, "openAPIV3Schema", &JSONSchemaProps, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ExternalDocumentation: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation", &[
    one(1, "description", &STRING, OMITEMPTY),
    one(2, "url", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static JSON: Type = shaped("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", Shape::Raw, &[]);

#[rustfmt::skip]
pub(super) static JSONSchemaProps: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps", &[
    one(3, "$ref", &STRING, POINTER | OMITEMPTY),
    one(2, "$schema", &STRING, OMITEMPTY),
    one(33, "additionalItems", &JSONSchemaPropsOrBool, POINTER | OMITEMPTY),
    one(30, "additionalProperties", &JSONSchemaPropsOrBool, POINTER | OMITEMPTY),
    list(25, "allOf", &JSONSchemaProps, OMITEMPTY).with(&[ListAtomic]),
    list(27, "anyOf", &JSONSchemaProps, OMITEMPTY).with(&[ListAtomic]),
    one(8, "default", &JSON, POINTER | OMITEMPTY),
    map(34, "definitions", &JSONSchemaProps, OMITEMPTY),
    map(32, "dependencies", &JSONSchemaPropsOrStringArray, OMITEMPTY),
    one(4, "description", &STRING, OMITEMPTY),
    list(20, "enum", &JSON, OMITEMPTY).with(&[ListAtomic]),
    one(36, "example", &JSON, POINTER | OMITEMPTY),
    one(10, "exclusiveMaximum", &BOOL, OMITEMPTY),
    one(12, "exclusiveMinimum", &BOOL, OMITEMPTY),
    one(35, "externalDocs", &ExternalDocumentation, POINTER | OMITEMPTY),
    one(6, "format", &STRING, OMITEMPTY),
    one(1, "id", &STRING, OMITEMPTY),
    one(24, "items", &JSONSchemaPropsOrArray, POINTER | OMITEMPTY),
    one(16, "maxItems", &INT64, POINTER | OMITEMPTY),
    one(13, "maxLength", &INT64, POINTER | OMITEMPTY),
    one(21, "maxProperties", &INT64, POINTER | OMITEMPTY),
    one(9, "maximum", &DOUBLE, POINTER | OMITEMPTY),
    one(17, "minItems", &INT64, POINTER | OMITEMPTY),
    one(14, "minLength", &INT64, POINTER | OMITEMPTY),
    one(22, "minProperties", &INT64, POINTER | OMITEMPTY),
    one(11, "minimum", &DOUBLE, POINTER | OMITEMPTY),
    one(19, "multipleOf", &DOUBLE, POINTER | OMITEMPTY),
    one(28, "not", &JSONSchemaProps, POINTER | OMITEMPTY),
    one(37, "nullable", &BOOL, OMITEMPTY),
    list(26, "oneOf", &JSONSchemaProps, OMITEMPTY).with(&[ListAtomic]),
    one(15, "pattern", &STRING, OMITEMPTY),
    map(31, "patternProperties", &JSONSchemaProps, OMITEMPTY),
    map(29, "properties", &JSONSchemaProps, OMITEMPTY),
    list(23, "required", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(7, "title", &STRING, OMITEMPTY),
    one(5, "type", &STRING, OMITEMPTY),
    one(18, "uniqueItems", &BOOL, OMITEMPTY),
    one(39, "x-kubernetes-embedded-resource", &BOOL, OMITEMPTY),
    one(40, "x-kubernetes-int-or-string", &BOOL, OMITEMPTY),
    list(41, "x-kubernetes-list-map-keys", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(42, "x-kubernetes-list-type", &STRING, POINTER | OMITEMPTY),
    one(43, "x-kubernetes-map-type", &STRING, POINTER | OMITEMPTY),
    one(38, "x-kubernetes-preserve-unknown-fields", &BOOL, POINTER | OMITEMPTY),
    list(44, "x-kubernetes-validations", &ValidationRule, OMITEMPTY).with(&[ListMap(&["rule"]), Patch("merge", "rule")]),
]);

#[rustfmt::skip]
pub(super) static JSONSchemaPropsOrArray: Type = shaped("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray", Shape::OrArray, &[
    list(2, "JSONSchemas", &JSONSchemaProps, 0),
    one(1, "Schema", &JSONSchemaProps, POINTER),
]);

#[rustfmt::skip]
pub(super) static JSONSchemaPropsOrBool: Type = shaped("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool", Shape::OrBool, &[
    one(1, "Allows", &BOOL, 0),
    one(2, "Schema", &JSONSchemaProps, POINTER),
]);

#[rustfmt::skip]
pub(super) static JSONSchemaPropsOrStringArray: Type = shaped("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray", Shape::OrStrings, &[
    list(2, "Property", &STRING, 0),
    one(1, "Schema", &JSONSchemaProps, POINTER),
]);

#[rustfmt::skip]
pub(super) static SelectableField: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField", &[
    one(1, "jsonPath", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ServiceReference: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference", &[
    one(2, "name", &STRING, REQUIRED),
    one(1, "namespace", &STRING, REQUIRED),
    one(3, "path", &STRING, POINTER | OMITEMPTY),
    one(4, "port", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ValidationRule: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule", &[
    one(5, "fieldPath", &STRING, OMITEMPTY),
    one(2, "message", &STRING, OMITEMPTY),
    one(3, "messageExpression", &STRING, OMITEMPTY),
    one(6, "optionalOldSelf", &BOOL, POINTER | OMITEMPTY),
    one(4, "reason", &STRING, POINTER | OMITEMPTY),
    one(1, "rule", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static WebhookClientConfig: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig", &[
    one(2, "caBundle", &BYTES, OMITEMPTY),
    one(1, "service", &ServiceReference, POINTER | OMITEMPTY),
    one(3, "url", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static WebhookConversion: Type = fields("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion", &[
    one(2, "clientConfig", &WebhookClientConfig, POINTER | OMITEMPTY),
    list(3, "conversionReviewVersions", &STRING, REQUIRED).with(&[ListAtomic]),
]);
