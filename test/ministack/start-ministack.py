"""Starts MiniStack with corrections where it differs from AWS. Each names the page of AWS's documentation that it follows."""
import copy
import datetime
import json
import re
import string

from ministack import app
from ministack.core import iam_actions
from ministack.core.responses import new_uuid
from ministack.services import dynamodb, eventbridge, scheduler, secretsmanager, stepfunctions
from ministack.services.cloudformation import provisioners

# A rate-based schedule without a start date invokes its target as soon as it is created.
# https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
create_schedule = scheduler._create_schedule


def begin_at_once(name, body):
    answer = create_schedule(name, body)
    for key, schedule in scheduler._schedules._data.items():
        if schedule["Name"] == name and schedule["ScheduleExpression"].startswith("rate("):
            scheduler._schedule_last_fired[key] = 0
    return answer


scheduler._create_schedule = begin_at_once
# AWS looks once a minute, and MiniStack every ten seconds.
scheduler._SCHEDULE_TICK_INTERVAL = 1

# The context attributes in the input of a schedule's target.
# https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
invoke_target = eventbridge._invoke_target


def with_attributes(target, event, rule, *rest, **options):
    if event.get("Source") == "aws.scheduler" and isinstance(target.get("Input"), str):
        target = copy.deepcopy(target)
        for name, value in {
            "schedule-arn": rule.get("Arn", ""),
            "scheduled-time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "execution-id": new_uuid(),
            "attempt-number": "1",
        }.items():
            target["Input"] = target["Input"].replace(f"<aws.scheduler.{name}>", value)
    return invoke_target(target, event, rule, *rest, **options)


eventbridge._invoke_target = with_attributes

# The properties of a topic. Without FifoTopic messages lose their group and their deduplication id.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topic.html
TOPIC = provisioners._RESOURCE_HANDLERS["AWS::SNS::Topic"]
create_topic = TOPIC["create"]


def create_topic_whole(logical_id, props, stack_name):
    made = create_topic(logical_id, props, stack_name)
    attributes = provisioners._sns._topics[made[0] if isinstance(made, tuple) else made]["attributes"]
    for name in ("FifoTopic", "FifoThroughputScope", "KmsMasterKeyId", "MaximumMessageSize"):
        if name in props:
            attributes[name] = str(props[name]).lower() if isinstance(props[name], bool) else str(props[name])
    return made


TOPIC["create"] = create_topic_whole

# ExcludePunctuation of a generated secret.
# https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetRandomPassword.html
generate = provisioners._sm_secret_string


def generate_without_punctuation(props):
    options = props.get("GenerateSecretString") or {}
    if str(options.get("ExcludePunctuation")).lower() == "true":
        excluded = options.get("ExcludeCharacters", "") + string.punctuation
        props = {**props, "GenerateSecretString": {**options, "ExcludeCharacters": excluded}}
    return generate(props)


provisioners._sm_secret_string = generate_without_punctuation

# The Ref of a secret is its ARN.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secret.html
SECRET = provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]
create_secret, delete_secret = SECRET["create"], SECRET["delete"]


def create_by_arn(logical_id, props, stack_name):
    _, attributes = create_secret(logical_id, props, stack_name)
    return attributes["Arn"], attributes


SECRET["create"] = create_by_arn
SECRET["delete"] = lambda arn, props: delete_secret(secretsmanager._resolve(arn)[0], props)

# An alarm on a metric that is computed from others; here no alarm goes off.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-alarm.html
ALARM = provisioners._RESOURCE_HANDLERS["AWS::CloudWatch::Alarm"]
create_alarm = ALARM["create"]


def create_computed_alarm(logical_id, props, stack_name):
    if "Metrics" in props:
        first = next(it["MetricStat"]["Metric"] for it in props["Metrics"] if "MetricStat" in it)
        props = {name: value for name, value in props.items() if name != "Metrics"}
        props = {**props, **first, "Period": 60, "Statistic": "Maximum"}
    return create_alarm(logical_id, props, stack_name)


ALARM["create"] = create_computed_alarm

# Operations that have no action of their own.
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsns.html
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-iam.html (the feed's statements only insert)
ALLOWED_BY = {
    "sns:PublishBatch": "sns:Publish",
    "sqs:SendMessageBatch": "sqs:SendMessage",
    "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
    "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
    "dynamodb:BatchExecuteStatement": "dynamodb:PartiQLInsert",
    "dynamodb:ExecuteStatement": "dynamodb:PartiQLInsert",
}
extract_action = iam_actions.extract_iam_action


def extract_allowing_action(*args, **options):
    action = extract_action(*args, **options)
    return ALLOWED_BY.get(action, action)


iam_actions.extract_iam_action = app.extract_iam_action = extract_allowing_action

# The condition key dynamodb:LeadingKeys.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
table_context = iam_actions.dynamodb_service_context


def with_leading_keys(body):
    context = table_context(body)
    request = json.loads(body or b"{}")
    # Each part of a transaction or of a batch is judged as a request of its own: here by the keys of all parts.
    parts = [request, *(part for it in request.get("TransactItems", []) for part in it.values())]
    for name, batch in (request.get("RequestItems") or {}).items():
        if isinstance(batch, dict):
            parts += [{"TableName": name, "Key": key} for key in batch.get("Keys", [])]
    keys = []
    for part in parts:
        table = dynamodb._tables.get(part.get("TableName", ""))
        if table:
            key = next(it["AttributeName"] for it in table["KeySchema"] if it["KeyType"] == "HASH")
            keys += list(((part.get("Key") or part.get("Item") or {}).get(key) or {}).values())
    if keys:
        context["dynamodb:LeadingKeys"] = keys
    return context


iam_actions.dynamodb_service_context = with_leading_keys

# The condition keys of an encryption context.
# https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html
tag_context = iam_actions.request_tag_context


def with_encryption_context(service, action, body, *rest):
    context = dict(tag_context(service, action, body, *rest))
    given = (json.loads(body or b"{}").get("EncryptionContext") if service == "kms" else None) or {}
    for name, value in given.items():
        context[f"kms:EncryptionContext:{name}"] = value
    if given:
        context["kms:EncryptionContextKeys"] = list(given)
    return context


iam_actions.request_tag_context = with_encryption_context

# The resources of PartiQL's statements, of parameters' paths, of schedules and alarms, and of task tokens, which belong to
# a state machine.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-iam.html
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_awssystemsmanager.html
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoneventbridgescheduler.html
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html
state_machines = {}
apply_parameters = stepfunctions._apply_parameters


def note_token(state, data, context):
    if "Task" in context:
        state_machines[context["Task"]["Token"]] = context["StateMachine"]["Id"]
    return apply_parameters(state, data, context)


stepfunctions._apply_parameters = note_token
extract_resource = iam_actions.extract_resource_arn


def extract_named_resource(service, method, path, headers, body, query, region, account, *rest, **options):
    target = next((value for name, value in headers.items() if name.lower() == "x-amz-target"), "")
    if service == "dynamodb" and "ExecuteStatement" in target:
        request = json.loads(body)
        statement = (request.get("Statements") or [request])[0]["Statement"]
        table = re.search('"([^"]+)"', statement).group(1)
        return f"arn:aws:dynamodb:{region}:{account}:table/{table}"
    if service == "ssm" and "GetParametersByPath" in target:
        return f"arn:aws:ssm:{region}:{account}:parameter{json.loads(body)['Path']}"
    if service == "scheduler" and path.startswith("/schedules/"):
        named = json.loads(body).get("GroupName") if body else query.get("groupName", "default")
        group = named[0] if isinstance(named, list) else named
        return f"arn:aws:scheduler:{region}:{account}:schedule/{group}/{path.removeprefix('/schedules/')}"
    if service in ("cloudwatch", "monitoring") and target.endswith(("PutMetricAlarm", "DeleteAlarms")):
        request = json.loads(body)
        name = request.get("AlarmName") or request["AlarmNames"][0]
        return f"arn:aws:cloudwatch:{region}:{account}:alarm:{name}"
    if service == "states" and "SendTask" in target:
        return state_machines.get(json.loads(body)["taskToken"], "*")
    return extract_resource(service, method, path, headers, body, query, region, account, *rest, **options)


iam_actions.extract_resource_arn = extract_named_resource

# With TLS it also listens on port 443, where it may.
app._port_is_bindable = lambda host, port: False

app.main()
